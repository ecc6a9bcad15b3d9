// Starts `rushlight lsp` for Python files.

const { commands, window, workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function start() {
  const settings = workspace.getConfiguration("rushlight");
  const command = settings.get("command");
  const server = { command, args: ["lsp"], transport: TransportKind.stdio };
  const onlyScripted = settings.get("files") === "scripted";
  const wanted = (document) => !onlyScripted || document.getText().includes("torch.jit");
  client = new LanguageClient("rushlight", "Rushlight", server, {
    documentSelector: [{ scheme: "file", language: "python" }, { scheme: "untitled", language: "python" }],
    middleware: {
      didOpen: (document, next) => (wanted(document) ? next(document) : Promise.resolve()),
      didChange: (event, next) => (wanted(event.document) ? next(event) : Promise.resolve()),
    },
  });
  return client.start().catch((error) => {
    window.showErrorMessage(`Rushlight: '${command} lsp' did not start (${error.message}). Set "rushlight.command".`);
  });
}

exports.activate = async (context) => {
  context.subscriptions.push(
    commands.registerCommand("rushlight.restart", async () => {
      await client?.stop();
      await start();
    }),
  );
  await start();
};

exports.deactivate = () => client?.stop();
