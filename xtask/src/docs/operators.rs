//! The page of operators, made from the rows of the table as the program itself has them.

use super::highlight::escape;
use super::markdown::Made;
use super::pages::Page;
use crate::workspace::program;

/// The schemas of all operators, a line each, and behind a tab what they do besides computing.
pub fn schemas() -> Result<String, String> {
    let output = program("--example", "operators", "dev")?
        .output()
        .map_err(|error| format!("cannot run the example: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// Makes the page: overloads by name, names by namespace.
pub fn page(schemas: &str, page: &Page) -> Made {
    let mut made = Made::default();
    let mut rows: Vec<(&str, &str, &str)> = schemas.lines().filter_map(row).collect();
    rows.sort_unstable();
    let count = rows.len();
    made.heading(1, "operators", &page.title);
    made.html.push_str(&format!(
        "<p>The {count} built-in operators, as scripts and archives name them. A schema says what an operator takes and \
         gives: <code>*</code> stands before parameters that are given by name, <code>T(a!)</code> is written to, \
         <code>T(a)</code> as a result is a view of the argument that has the same mark. In source, \
         <code>aten::add</code> is <code>torch.add</code>, a method of tensors where its first parameter is \
         <code>self</code>, or <code>torch.ops.aten.add</code>.</p>\n",
    ));
    if rows.is_empty() {
        made.html
            .push_str("<p>This site was made without them.</p>\n");
    }
    let (mut space, mut name) = ("", "");
    for (full, schema, effect) in rows {
        let (namespace, _) = full.split_once("::").unwrap_or(("", full));
        if namespace != space {
            space = namespace;
            made.close(&mut name);
            made.heading(2, &anchor(space), space);
        }
        if full != name {
            made.close(&mut name);
            name = full;
            let anchor = anchor(full);
            let shown = escape(full);
            made.html.push_str(&format!(
                "<section class=\"operator\"><h3 id=\"{anchor}\">{shown}</h3>\n"
            ));
            made.headings.push((3, anchor.clone(), full.to_owned()));
            made.passages.push((anchor, String::new()));
        }
        let effect = match effect {
            "" => String::new(),
            effect => format!(" <span class=\"note\">{}</span>", escape(effect)),
        };
        let shown = escape(schema.split_once("::").map_or(schema, |(_, rest)| rest));
        made.html.push_str(&format!(
            "<div class=\"schema\"><code>{shown}</code>{effect}</div>\n"
        ));
    }
    made.close(&mut name);
    made
}

/// Name, schema and effect of a line.
fn row(line: &str) -> Option<(&str, &str, &str)> {
    let (schema, effect) = line.split_once('\t')?;
    let end = schema.find(['.', '(']).unwrap_or(schema.len());
    Some((&schema[..end], schema, effect))
}

fn anchor(name: &str) -> String {
    name.replace("::", "-")
}

impl Made {
    fn heading(&mut self, level: u8, anchor: &str, text: &str) {
        let shown = escape(text);
        self.html
            .push_str(&format!("<h{level} id=\"{anchor}\">{shown}</h{level}>\n"));
        self.headings
            .push((level, anchor.to_owned(), text.to_owned()));
    }

    fn close(&mut self, name: &mut &str) {
        if !name.is_empty() {
            self.html.push_str("</section>\n");
        }
        *name = "";
    }
}

#[cfg(test)]
mod tests {
    use super::row;

    #[test]
    fn rows_have_names_without_overloads() {
        let line = "aten::add.Tensor(Tensor self) -> Tensor\trandom";
        let schema = "aten::add.Tensor(Tensor self) -> Tensor";
        assert_eq!(row(line), Some(("aten::add", schema, "random")));
    }
}
