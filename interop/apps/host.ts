// A host on the official AppBridge and client. It calls a tool of the server at /mcp, and shows the page of the tool in a
// sandbox of another origin. What happens is written into the document, where the test reads it.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, getToolUiResourceUri, isToolVisibilityAppOnly, PostMessageTransport, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/app-bridge";

declare const SANDBOX: string, PIN: string, TOOL: string, ARGUMENTS: Record<string, unknown>;

function say(id: string, text: string) {
  const line = document.createElement("p");
  line.id = id;
  line.textContent = text;
  document.body.append(line);
}

async function run() {
  const client = new Client(
    { name: "official", version: "1.0.0" },
    {
      capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } },
      versionNegotiation: { mode: PIN === "" ? "legacy" : { pin: PIN } },
    } as any,
  );
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", location.href)));
  const { tools } = await client.listTools();
  say("apponly", tools.filter(isToolVisibilityAppOnly).map((t) => t.name).join(" "));
  const tool = tools.find((t) => t.name === TOOL)!;
  const { contents } = await client.readResource({ uri: getToolUiResourceUri(tool)! });
  const page = contents[0] as any;
  say("mime", page.mimeType);
  say("meta", JSON.stringify(page._meta?.ui ?? {}));

  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  const bridge = new AppBridge(client, { name: "official", version: "1.0.0" }, { openLinks: {}, serverTools: {}, serverResources: {}, logging: {} }, {
    hostContext: { theme: "dark", toolInfo: { tool }, displayMode: "inline", availableDisplayModes: ["inline"] },
  } as any);
  bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html: page.text, csp: page._meta?.ui?.csp });
  bridge.onsizechange = ({ height }) => {
    if (!document.querySelector("#size")) say("size", String(height! > 50));
  };
  bridge.oninitialized = async () => {
    say("app", JSON.stringify(bridge.getAppVersion()));
    await bridge.sendToolInput({ arguments: ARGUMENTS });
    await bridge.sendToolResult((await client.callTool({ name: TOOL, arguments: ARGUMENTS })) as any);
    say("sent", "yes");
  };
  document.body.append(frame);
  await bridge.connect(new PostMessageTransport(frame.contentWindow!, frame.contentWindow!));
  frame.src = SANDBOX;
  (window as any).teardown = () => bridge.teardownResource({}).then(() => say("down", "yes"));
}

run().catch((err) => say("failed", String(err?.stack ?? err)));
