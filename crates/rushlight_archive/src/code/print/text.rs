//! Text that remembers which source its parts come from.

use rushlight_syntax::Span;

/// Printed code with marks: from each mark on, the text comes from its span.
#[derive(Clone, Default)]
pub struct Text {
    pub text: String,
    /// Offset in bytes, and the source of what follows.
    pub marks: Vec<(usize, Option<Span>)>,
}

impl Text {
    /// Appends plain text.
    pub fn push(&mut self, text: &str) -> &mut Text {
        self.text.push_str(text);
        self
    }

    /// What follows comes from `span`.
    pub fn mark(&mut self, span: Option<&Span>) -> &mut Text {
        let at = self.text.len();
        self.marks.push((at, span.cloned()));
        self
    }

    /// Appends text with its marks.
    pub fn append(&mut self, other: &Text) -> &mut Text {
        let base = self.text.len();
        self.text.push_str(&other.text);
        for (at, span) in &other.marks {
            self.marks.push((base + at, span.clone()));
        }
        self
    }

    /// The length in bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text {
            text: text.into(),
            marks: Vec::new(),
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text {
            text,
            marks: Vec::new(),
        }
    }
}
