package initd

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// longestText is how much of a message for people is sent. The supervisor keeps less of it.
const longestText = 4096

// printable escapes control characters, which could otherwise change a terminal.
func printable(text string) string {
	if strings.IndexFunc(text, unprintable) < 0 {
		return text
	}
	var escaped strings.Builder
	for _, r := range text {
		if unprintable(r) {
			quoted := strconv.QuoteRune(r)
			escaped.WriteString(quoted[1 : len(quoted)-1])
		} else {
			escaped.WriteRune(r)
		}
	}
	return escaped.String()
}

func unprintable(r rune) bool { return !strconv.IsPrint(r) }

// prefix begins every error of this package, and every line of the default logger.
const prefix = "initd: "

// bare is an error's text for a line of the logger.
func bare(err error) string { return strings.TrimPrefix(err.Error(), prefix) }

// shortened cuts text to the longest length that is sent, between two characters.
func shortened(text string) string {
	if len(text) <= longestText {
		return text
	}
	end := longestText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
