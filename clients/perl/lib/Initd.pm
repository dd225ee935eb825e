# The protocol of initd: an event loop, and connections to the supervisor.
#
# Everything runs in one thread. Initd::Loop waits for sockets and timers;
# Initd::Connection reads and writes frames and matches answers with requests.
use v5.36;

package Initd::Loop;

use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

# A signal that arrives just before select() is handled only after it, so
# select() never waits longer than this.
use constant LONGEST_WAIT => 0.1;

sub new ($class) { return bless { timers => {}, next => 0, connections => {} }, $class }

sub now { return clock_gettime(CLOCK_MONOTONIC) }

# Calls $code once after $seconds. Returns an id for cancel().
sub after ($self, $seconds, $code) {
    my $id = ++$self->{next};
    $self->{timers}{$id} = { at => now() + $seconds, code => $code };
    return $id;
}

sub cancel ($self, $id) {
    delete $self->{timers}{$id} if defined $id;
    return;
}

# Waits for sockets and timers once, and handles what has happened.
sub turn ($self) {
    my $timers = $self->{timers};
    my ($reads, $writes, $wait) = ('', '', LONGEST_WAIT);
    for my $connection (values $self->{connections}->%*) {
        vec($reads,  $connection->{fileno}, 1) = 1;
        vec($writes, $connection->{fileno}, 1) = 1 if length $connection->{out};
    }
    for my $timer (values %$timers) {
        my $left = $timer->{at} - now();
        $wait = $left if $left < $wait;
    }
    my $found = select($reads, $writes, undef, $wait > 0 ? $wait : 0);
    if ($found > 0) {
        for my $connection (values $self->{connections}->%*) {
            $connection->flush_out if vec($writes, $connection->{fileno}, 1);
            $connection->read_in   if vec($reads,  $connection->{fileno}, 1);
        }
    }
    my $now = now();
    my @due = sort { $timers->{$a}{at} <=> $timers->{$b}{at} || $a <=> $b }
        grep { $timers->{$_}{at} <= $now } keys %$timers;
    for my $id (@due) {
        my $timer = delete $timers->{$id} or next;
        $timer->{code}->();
    }
    return;
}

package Initd::Connection;

use Errno qw(EAGAIN EWOULDBLOCK EINTR);
use IO::Handle;
use JSON::PP;
use Socket;

use constant {
    LONGEST_FRAME => 16 * 1024 * 1024,
    LONGEST_PATH  => 107,
    CHUNK         => 65_536,
    TOPICS        => [qw(launch active composite lifecycle initializer pass worker log)],
};

# With allow_bignum, numbers that Perl can't hold exactly keep their value.
my $json = JSON::PP->new->utf8->canonical->allow_bignum;

# The path of the socket, or undef.
sub default_path {
    return $ENV{INITD_SOCKET} if length($ENV{INITD_SOCKET} // '');
    return "$ENV{XDG_RUNTIME_DIR}/initd.sock" if length($ENV{XDG_RUNTIME_DIR} // '');
    return $> == 0 ? '/run/initd.sock' : undef;
}

# Connects and sends hello. Returns undef if that fails; $! says why. Options:
#   loop, path, name;
#   on_ready($result)           hello was answered
#   on_message($message)        a request or a notification of the supervisor
#   on_error($error)            an error that belongs to no request
#   on_close($reason)           the connection was closed, by either side
sub open ($class, %options) {
    my $path = $options{path};
    die "the path of the socket is longer than ${\LONGEST_PATH} bytes: $path\n" if length $path > LONGEST_PATH;
    socket(my $socket, AF_UNIX, SOCK_STREAM, 0) or return;
    $socket->blocking(0);
    connect($socket, pack_sockaddr_un($path)) or return;
    my $self = bless {
        %options, socket => $socket, fileno => fileno($socket),
        in => '', out => '', pending => {}, id => 0, frame_bytes => 4096,
    }, $class;
    $self->{loop}{connections}{$self} = $self;
    $self->request('hello', { protocol => 1, client => { name => $self->{name}, version => '1.0' } },
        sub ($result, $error) {
            return $self->close("hello was refused: $error->{message}", $error) if $error;
            $self->{frame_bytes} = $result->{limits}{frameBytes};
            $self->{on_ready}->($result) if $self->{on_ready};
        });
    return $self;
}

# Sends a request. $then gets the result, or undef and the error.
sub request ($self, $method, $params, $then) {
    my $id = ++$self->{id};
    $self->{pending}{$id} = $then;
    return $self->send_message({ id => $id, method => $method, params => $params });
}

sub notify ($self, $method, $params) {
    return $self->send_message({ method => $method, params => $params });
}

# Answers a request of the supervisor: $answer has result or error.
sub answer ($self, $id, %answer) { return $self->send_message({ id => $id, %answer }) }

# Returns whether the message could be queued.
sub send_message ($self, $message) {
    return 0 if !$self->{socket};
    my $payload = $json->encode({ jsonrpc => '2.0', %$message });
    return 0 if length $payload > $self->{frame_bytes};
    $self->{out} .= pack('N', length $payload) . $payload;
    $self->flush_out;
    return 1;
}

sub flush_out ($self) {
    while ($self->{socket} && length $self->{out}) {
        my $count = syswrite $self->{socket}, $self->{out};
        if (!defined $count) {
            next if $! == EINTR;
            return if $! == EAGAIN || $! == EWOULDBLOCK;
            # The last message of the supervisor may still be readable: the
            # end is reported by read_in.
            $self->{out} = '';
            return;
        }
        substr($self->{out}, 0, $count) = '';
    }
    return;
}

sub read_in ($self) {
    return if !$self->{socket};
    my $count = sysread $self->{socket}, $self->{in}, CHUNK, length $self->{in};
    if (!defined $count) {
        return if $! == EINTR || $! == EAGAIN || $! == EWOULDBLOCK;
        return $self->close("cannot read: $!");
    }
    return $self->close('the supervisor closed the connection') if $count == 0;
    while ($self->{socket} && length $self->{in}) {
        return $self->close('the peer is not initd') if ord $self->{in} != 0;
        return if length $self->{in} < 4;
        my $length = unpack 'N', $self->{in};
        return $self->close("bad length of a frame: $length") if $length == 0 || $length >= LONGEST_FRAME;
        return if length $self->{in} < 4 + $length;
        my $message = eval { $json->decode(substr $self->{in}, 4, $length) };
        substr($self->{in}, 0, 4 + $length) = '';
        return $self->close('the supervisor sent malformed JSON') if ref $message ne 'HASH';
        $self->handle($message);
    }
    return;
}

sub handle ($self, $message) {
    if (exists $message->{method}) {
        $self->{on_message}->($message) if $self->{on_message};
    } elsif (defined $message->{id}) {
        my $then = delete $self->{pending}{ $message->{id} } or return;
        $then->($message->{result}, $message->{error});
    } elsif ($self->{on_error}) {
        $self->{on_error}->($message->{error});
    }
    return;
}

# Ends the connection. Requests that are open get no answer.
sub close ($self, $reason = 'closed', $error = undef) {
    my $socket = delete $self->{socket} or return;
    delete $self->{loop}{connections}{$self};
    $self->{pending} = {};
    close $socket;
    $self->{on_close}->($reason, $error) if $self->{on_close};
    return;
}

1;
