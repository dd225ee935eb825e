#!/usr/bin/env perl
# A command line for initd.
use v5.36;
use FindBin;
use lib "$FindBin::Bin/lib";
use Encode qw(decode);
use Getopt::Long;
use Initd;
use JSON::PP;

use constant USAGE => <<'END';
usage: client.pl [--socket PATH] COMMAND
  ping [JSON]                     send an object and print what comes back
  status                          print the Status as JSON
  activate [--hold] [--wait]      with --hold, keep it active until a signal
  deactivate [--wait]             print the names of the runs that it cancelled
  wait [launch|active|composite|ready|pass N|initializer NAME]
       [--timeout SECONDS] [--appear]
  watch [TOPIC ...]               print events; all topics by default
exit status: 0 success, 1 failed or refused, 64 usage, 69 no supervisor,
             77 permission denied, 124 timed out
END

use constant { SUCCESS => 0, FAILED => 1, WRONG_USAGE => 64, NO_SUPERVISOR => 69, DENIED => 77, TIMED_OUT => 124 };
my %status_of = (-32003 => TIMED_OUT, -32004 => WRONG_USAGE, -32005 => DENIED);

@ARGV = map { decode("UTF-8", $_) } @ARGV;
my ($path, $hold, $wait, $timeout, $appear);
GetOptions('socket=s' => \$path, 'hold' => \$hold, 'wait' => \$wait, 'timeout=f' => \$timeout, 'appear' => \$appear)
    or usage();
my ($command, @words) = @ARGV;
$path //= Initd::Connection::default_path() // stop(WRONG_USAGE, 'set INITD_SOCKET or give --socket');

my $json = JSON::PP->new->canonical->allow_bignum;
my $loop = Initd::Loop->new;
$SIG{PIPE} = 'IGNORE';
STDOUT->autoflush(1);
binmode $_, ':encoding(UTF-8)' for *STDOUT, *STDERR;

sub usage { print STDERR USAGE; exit WRONG_USAGE }

# Text of others may contain control characters.
sub clean ($text) { return $text =~ s/([\x00-\x1f\x7f-\x9f])/sprintf '\\x%02x', ord $1/ger }

sub stop ($status, $text) {
    say STDERR 'client: ', clean($text) if length $text;
    exit $status;
}

sub refused ($error) { return stop($status_of{ $error->{code} } // FAILED, $error->{message}) }

sub state_line ($state) {
    my $error = $state->{error} ? ": $state->{error}{message}" : '';
    my $pass  = defined $state->{pass} ? " (pass $state->{pass})" : '';
    return clean("$state->{state}$pass$error");
}

sub flag ($value) { return $value ? JSON::PP::true : JSON::PP::false }

my $stopping;    # whether the event shutdown has come
my $connection = Initd::Connection->open(
    loop       => $loop,
    path       => $path,
    name       => 'client.pl',
    on_message => \&handle_message,
    on_error   => \&refused,
    on_close   => sub ($reason, $error = undef) {
        refused($error) if $error;
        stop(SUCCESS, '') if $stopping && ($command // '') eq 'watch';
        stop(NO_SUPERVISOR, $stopping ? 'the supervisor has shut down' : $reason);
    },
) or stop(NO_SUPERVISOR, "no supervisor at $path: $!; start initd, or give --socket");

sub request ($method, $params, $then) {
    $connection->request($method, $params, sub ($result, $error) { $error ? refused($error) : $then->($result) });
    return;
}

sub handle_message ($message) {
    my $params = $message->{params};
    return if $message->{method} ne 'event';
    $stopping = 1 if $params->{topic} eq 'shutdown';
    print_event($params) if $command eq 'watch';
    return;
}

sub print_event ($event) {
    my %rest  = %$event;
    my $topic = delete $rest{topic};
    my $seq   = delete $rest{seq} // '-';
    delete $rest{time};
    say clean("$seq $topic " . $json->encode(\%rest));
    return;
}

sub wait_for ($params) {
    $params->{timeout} = 0 + $timeout if defined $timeout;    # a number, not a string
    $params->{appear} = flag(1) if $appear;
    request('wait', $params, sub ($state) {
        say state_line($state);
        exit($state->{state} eq 'complete' ? SUCCESS : FAILED);
    });
    return;
}

my %commands = (
    ping => sub ($text = '{}') {
        my $object = eval { $json->decode($text) };
        usage() if ref $object ne 'HASH';
        request('ping', $object, sub ($result) { say clean($json->encode($result)); exit SUCCESS });
    },
    status => sub {
        request('status', {}, sub ($result) { print $json->pretty->encode($result); exit SUCCESS });
    },
    activate => sub {
        request('activate', { hold => flag($hold) }, sub ($result) {
            say state_line($result->{active});
            return wait_for({ pass => 0 + $result->{pass} }) if $wait;
            exit SUCCESS if !$hold;
        });
    },
    deactivate => sub {
        request('deactivate', { wait => flag($wait) }, sub ($result) { say for $result->{cancelled}->@*; exit SUCCESS });
    },
    wait => sub ($what = 'ready', $which = undef) {
        if ($what eq 'pass') {
            usage() if ($which // '') !~ /\A[0-9]+\z/;
            wait_for({ pass => 0 + $which });
        } elsif ($what eq 'initializer') {
            wait_for({ initializer => $which // usage() });
        } else {
            wait_for({ for => $what });
        }
    },
    watch => sub (@topics) {
        @topics = Initd::Connection::TOPICS->@* if !@topics;
        request('subscribe', { topics => \@topics }, sub ($result) {
            print_event({ topic => 'snapshot', seq => $result->{snapshot}{seq}, %$result });
        });
    },
);

my $action = $commands{ $command // '' } // usage();
$action->(@words);
$loop->turn while 1;
