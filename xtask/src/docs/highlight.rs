//! Colours for code: spans around keywords, text, comments and numbers, by language. What is not known stays as it is.

/// How a language writes things.
struct Language {
    /// The words behind ``` that mean it.
    names: &'static [&'static str],
    keywords: &'static [&'static str],
    /// What begins a comment that goes to the end of the line.
    comment: &'static str,
    /// What text stands between, longest first.
    quotes: &'static [&'static str],
}

const LANGUAGES: &[Language] = &[
    Language {
        names: &["python"],
        keywords: &[
            "False", "None", "True", "and", "as", "assert", "break", "class", "continue", "def",
            "del", "elif", "else", "for", "from", "if", "import", "in", "is", "lambda", "not",
            "or", "pass", "raise", "return", "try", "while", "with", "yield",
        ],
        comment: "#",
        quotes: &["\"\"\"", "'''", "\"", "'"],
    },
    Language {
        names: &["rust"],
        keywords: &[
            "Err", "None", "Ok", "Some", "as", "const", "else", "enum", "false", "fn", "for", "if",
            "impl", "in", "let", "loop", "match", "mod", "mut", "pub", "return", "self", "static",
            "struct", "trait", "true", "type", "use", "while",
        ],
        comment: "//",
        quotes: &["\""],
    },
    Language {
        names: &["c", "cpp"],
        keywords: &[
            "char", "const", "double", "else", "enum", "float", "for", "if", "int", "return",
            "sizeof", "static", "struct", "typedef", "void", "while",
        ],
        comment: "//",
        quotes: &["\"", "'"],
    },
    Language {
        names: &["toml", "bash", "sh"],
        keywords: &[
            "do", "done", "export", "false", "for", "if", "in", "then", "true",
        ],
        comment: "#",
        quotes: &["\"", "'"],
    },
    Language {
        names: &["lua"],
        keywords: &["end", "false", "function", "local", "return", "true"],
        comment: "--",
        quotes: &["\"", "'"],
    },
];

/// A text that stands in HTML as it is.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The HTML of code in a language.
pub fn highlight(language: &str, text: &str) -> String {
    if language == "console" {
        return console(text);
    }
    match LANGUAGES.iter().find(|l| l.names.contains(&language)) {
        Some(language) => coloured(language, text),
        None => escape(text),
    }
}

/// What is typed, behind `$`, and what is printed.
fn console(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("$ ") {
        Some(command) => format!(
            "<span class=\"p\">$ </span><span class=\"i\">{}</span>\n",
            escape(command)
        ),
        None => format!("<span class=\"o\">{}</span>\n", escape(line)),
    };
    text.lines().map(line).collect()
}

fn coloured(language: &Language, text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = token(language, rest, first);
        let (piece, after) = rest.split_at(length);
        match kind {
            "" => out.push_str(&escape(piece)),
            kind => out.push_str(&format!("<span class=\"{kind}\">{}</span>", escape(piece))),
        }
        rest = after;
    }
    out
}

/// The class of what a text begins with, and how many bytes it has: at least those of the first character.
fn token(language: &Language, text: &str, first: char) -> (&'static str, usize) {
    if text.starts_with(language.comment) {
        let length = text.find('\n').unwrap_or(text.len());
        let comment = &text[language.comment.len()..length];
        let word = comment.split_whitespace().next().unwrap_or("");
        let is_error = word == "error" || word.trim_end_matches(':').ends_with("Error");
        return (if is_error { "e" } else { "c" }, length);
    }
    if let Some(quote) = language.quotes.iter().find(|q| text.starts_with(**q)) {
        return ("s", quoted(text, quote));
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if first.is_ascii_digit() {
        let inside = |c: char| is_word(c) || c == '.';
        return ("n", text.find(|c| !inside(c)).unwrap_or(text.len()));
    }
    if is_word(first) {
        let length = text.find(|c| !is_word(c)).unwrap_or(text.len());
        let is_keyword = language.keywords.contains(&&text[..length]);
        return (if is_keyword { "k" } else { "" }, length);
    }
    ("", first.len_utf8())
}

/// The length of text between quotes, which ends at the line's end at the latest, where one character quotes it.
fn quoted(text: &str, quote: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(quote.len()) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if text[at..].starts_with(quote) {
            return at + quote.len();
        } else if c == '\n' && quote.len() == 1 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::highlight;

    #[test]
    fn words_text_and_comments_get_classes() {
        assert_eq!(
            highlight("python", "def f(): # <\n    return 'a\\'b' + x1"),
            "<span class=\"k\">def</span> f(): <span class=\"c\"># &lt;</span>\n    <span class=\"k\">return</span> \
             <span class=\"s\">'a\\'b'</span> + x1"
        );
        assert_eq!(
            highlight("python", "\"\"\"a\nb\"\"\" 1.5"),
            "<span class=\"s\">&quot;&quot;&quot;a\nb&quot;&quot;&quot;</span> <span class=\"n\">1.5</span>"
        );
    }

    #[test]
    fn comments_that_state_errors_stand_out() {
        assert_eq!(
            highlight("python", "x # TypeError: no\n# an error"),
            "x <span class=\"e\"># TypeError: no</span>\n<span class=\"c\"># an error</span>"
        );
    }

    #[test]
    fn unknown_languages_stay_as_they_are() {
        assert_eq!(highlight("text", "def <é"), "def &lt;é");
        assert_eq!(highlight("python", "'é"), "<span class=\"s\">'é</span>");
    }

    #[test]
    fn a_console_shows_what_is_typed() {
        assert_eq!(
            highlight("console", "$ ls\na\n"),
            "<span class=\"p\">$ </span><span class=\"i\">ls</span>\n<span class=\"o\">a</span>\n"
        );
    }
}
