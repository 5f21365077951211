// The ui extension of the Model Context Protocol, io.modelcontextprotocol/ui.
//
// The declarations follow the official schema of the extension: every name, member, type and
// tag, in its order. The comments are this project's own.

import type {
  CallToolResult,
  ContentBlock,
  EmbeddedResource,
  Implementation,
  RequestId,
  ResourceLink,
  Tool,
} from "../../2025-06-18/schema.js";

/** The version of the extension that this schema declares. */
export const LATEST_PROTOCOL_VERSION = "2026-01-26";

/** Whether the host looks light or dark. */
export type McpUiTheme =
  /** Dark text on a light background. */
  | "light"
  /** Light text on a dark background. */
  | "dark";

/** How the host shows an app. */
export type McpUiDisplayMode =
  /** In the conversation. */
  | "inline"
  /** Over the whole window. */
  | "fullscreen"
  /** In a small window that floats over the conversation. */
  | "pip";

/** The names of the CSS variables by which an app can look like its host. */
export type McpUiStyleVariableKey =
  /** Background color of most things. */
  | "--color-background-primary"
  /** Background color of things of less weight. */
  | "--color-background-secondary"
  /** Background color of things of least weight. */
  | "--color-background-tertiary"
  /** Background color of what stands out by the opposite theme. */
  | "--color-background-inverse"
  /** Background color of what is hardly visible. */
  | "--color-background-ghost"
  /** Background color of information. */
  | "--color-background-info"
  /** Background color of danger. */
  | "--color-background-danger"
  /** Background color of success. */
  | "--color-background-success"
  /** Background color of warnings. */
  | "--color-background-warning"
  /** Background color of what is disabled. */
  | "--color-background-disabled"
  /** Text color of most things. */
  | "--color-text-primary"
  /** Text color of things of less weight. */
  | "--color-text-secondary"
  /** Text color of things of least weight. */
  | "--color-text-tertiary"
  /** Text color of what stands out by the opposite theme. */
  | "--color-text-inverse"
  /** Text color of what is hardly visible. */
  | "--color-text-ghost"
  /** Text color of information. */
  | "--color-text-info"
  /** Text color of danger. */
  | "--color-text-danger"
  /** Text color of success. */
  | "--color-text-success"
  /** Text color of warnings. */
  | "--color-text-warning"
  /** Text color of what is disabled. */
  | "--color-text-disabled"
  /** Border color of most things. */
  | "--color-border-primary"
  /** Border color of things of less weight. */
  | "--color-border-secondary"
  /** Border color of things of least weight. */
  | "--color-border-tertiary"
  /** Border color of what stands out by the opposite theme. */
  | "--color-border-inverse"
  /** Border color of what is hardly visible. */
  | "--color-border-ghost"
  /** Border color of information. */
  | "--color-border-info"
  /** Border color of danger. */
  | "--color-border-danger"
  /** Border color of success. */
  | "--color-border-success"
  /** Border color of warnings. */
  | "--color-border-warning"
  /** Border color of what is disabled. */
  | "--color-border-disabled"
  /** Focus ring color of most things. */
  | "--color-ring-primary"
  /** Focus ring color of things of less weight. */
  | "--color-ring-secondary"
  /** Focus ring color of what stands out by the opposite theme. */
  | "--color-ring-inverse"
  /** Focus ring color of information. */
  | "--color-ring-info"
  /** Focus ring color of danger. */
  | "--color-ring-danger"
  /** Focus ring color of success. */
  | "--color-ring-success"
  /** Focus ring color of warnings. */
  | "--color-ring-warning"
  /** The font family without serifs. */
  | "--font-sans"
  /** The font family of fixed width. */
  | "--font-mono"
  /** The normal font weight. */
  | "--font-weight-normal"
  /** The medium font weight. */
  | "--font-weight-medium"
  /** The semibold font weight. */
  | "--font-weight-semibold"
  /** The bold font weight. */
  | "--font-weight-bold"
  /** The font size of extra small text. */
  | "--font-text-xs-size"
  /** The font size of small text. */
  | "--font-text-sm-size"
  /** The font size of medium text. */
  | "--font-text-md-size"
  /** The font size of large text. */
  | "--font-text-lg-size"
  /** The font size of extra small headings. */
  | "--font-heading-xs-size"
  /** The font size of small headings. */
  | "--font-heading-sm-size"
  /** The font size of medium headings. */
  | "--font-heading-md-size"
  /** The font size of large headings. */
  | "--font-heading-lg-size"
  /** The font size of extra large headings. */
  | "--font-heading-xl-size"
  /** The font size of twice extra large headings. */
  | "--font-heading-2xl-size"
  /** The font size of three times extra large headings. */
  | "--font-heading-3xl-size"
  /** The line height of extra small text. */
  | "--font-text-xs-line-height"
  /** The line height of small text. */
  | "--font-text-sm-line-height"
  /** The line height of medium text. */
  | "--font-text-md-line-height"
  /** The line height of large text. */
  | "--font-text-lg-line-height"
  /** The line height of extra small headings. */
  | "--font-heading-xs-line-height"
  /** The line height of small headings. */
  | "--font-heading-sm-line-height"
  /** The line height of medium headings. */
  | "--font-heading-md-line-height"
  /** The line height of large headings. */
  | "--font-heading-lg-line-height"
  /** The line height of extra large headings. */
  | "--font-heading-xl-line-height"
  /** The line height of twice extra large headings. */
  | "--font-heading-2xl-line-height"
  /** The line height of three times extra large headings. */
  | "--font-heading-3xl-line-height"
  /** The extra small radius of borders. */
  | "--border-radius-xs"
  /** The small radius of borders. */
  | "--border-radius-sm"
  /** The medium radius of borders. */
  | "--border-radius-md"
  /** The large radius of borders. */
  | "--border-radius-lg"
  /** The extra large radius of borders. */
  | "--border-radius-xl"
  /** The full radius of borders. */
  | "--border-radius-full"
  /** The regular width of borders. */
  | "--border-width-regular"
  /** A shadow as thin as a hair. */
  | "--shadow-hairline"
  /** A small shadow. */
  | "--shadow-sm"
  /** A medium shadow. */
  | "--shadow-md"
  /** A large shadow. */
  | "--shadow-lg";

/** The values of CSS variables, by their names. A host sets those that it has. */
export type McpUiStyles = Record<McpUiStyleVariableKey, string | undefined>;

/** Asks the host to open a link in the user's browser. */
export interface McpUiOpenLinkRequest {
  /** The method that this request calls. */
  method: "ui/open-link";
  /** The parameters of the request. */
  params: {
    /** The URL to open. */
    url: string;
  };
}

/** Says whether the link was opened. */
export interface McpUiOpenLinkResult {
  /** Whether the host did not open it, such as for its security policy. */
  isError?: boolean;
  /** What else there is. */
  [key: string]: unknown;
}

/** Asks the host to save files for the user, which an app in a sandbox cannot do itself. */
export interface McpUiDownloadFileRequest {
  /** The method that this request calls. */
  method: "ui/download-file";
  /** The parameters of the request. */
  params: {
    /** The files: with their data, or as links that the host follows. */
    contents: (EmbeddedResource | ResourceLink)[];
  };
}

/** Says whether the files were saved. */
export interface McpUiDownloadFileResult {
  /** Whether they were not, such as because the user declined. */
  isError?: boolean;
  /** What else there is. */
  [key: string]: unknown;
}

/** Asks the host to add a message to the conversation. */
export interface McpUiMessageRequest {
  /** The method that this request calls. */
  method: "ui/message";
  /** The parameters of the request. */
  params: {
    /** Who the message is from. */
    role: "user";
    /** What the message says. */
    content: ContentBlock[];
  };
}

/** Says whether the message was added. */
export interface McpUiMessageResult {
  /** Whether the host refused the message or could not deliver it. */
  isError?: boolean;
  /** What else there is. */
  [key: string]: unknown;
}

/**
 * Tells the host that the sandbox around an app is ready for its HTML.
 *
 * @internal
 */
export interface McpUiSandboxProxyReadyNotification {
  /** The method that says what happened. */
  method: "ui/notifications/sandbox-proxy-ready";
  /** The parameters of the notification. */
  params: {};
}

/**
 * Gives the sandbox the HTML of the app.
 *
 * @internal
 */
export interface McpUiSandboxResourceReadyNotification {
  /** The method that says what happened. */
  method: "ui/notifications/sandbox-resource-ready";
  /** The parameters of the notification. */
  params: {
    /** The HTML to load. */
    html: string;
    /** The sandbox attribute of the inner frame, in place of the usual one. */
    sandbox?: string;
    /** What the app may load and connect to, from the metadata of its resource. */
    csp?: McpUiResourceCsp;
    /** What the app may use of the browser, from the metadata of its resource. */
    permissions?: McpUiResourcePermissions;
  };
}

/** Tells the host that the size of the app has changed. */
export interface McpUiSizeChangedNotification {
  /** The method that says what happened. */
  method: "ui/notifications/size-changed";
  /** The parameters of the notification. */
  params: {
    /** The new width in pixels. */
    width?: number;
    /** The new height in pixels. */
    height?: number;
  };
}

/** Gives the app the arguments of the tool call that it shows. */
export interface McpUiToolInputNotification {
  /** The method that says what happened. */
  method: "ui/notifications/tool-input";
  /** The parameters of the notification. */
  params: {
    /** The arguments of the call, by their names. */
    arguments?: Record<string, unknown>;
  };
}

/** Gives the app arguments that the model is still writing. */
export interface McpUiToolInputPartialNotification {
  /** The method that says what happened. */
  method: "ui/notifications/tool-input-partial";
  /** The parameters of the notification. */
  params: {
    /** The arguments so far. They may be incomplete, and may still change. */
    arguments?: Record<string, unknown>;
  };
}

/** Gives the app the result of the tool call that it shows. */
export interface McpUiToolResultNotification {
  /** The method that says what happened. */
  method: "ui/notifications/tool-result";
  /** The parameters of the notification. */
  params: CallToolResult;
}

/** Tells the app that the tool call that it shows was cancelled, for any reason. */
export interface McpUiToolCancelledNotification {
  /** The method that says what happened. */
  method: "ui/notifications/tool-cancelled";
  /** The parameters of the notification. */
  params: {
    /** Why the call was cancelled. */
    reason?: string;
  };
}

/** CSS of the host that an app may apply. */
export interface McpUiHostCss {
  /** The rules that load the host's fonts. */
  fonts?: string;
}

/** How an app can look like its host. */
export interface McpUiHostStyles {
  /** The values of CSS variables. */
  variables?: McpUiStyles;
  /** CSS to apply as it is. */
  css?: McpUiHostCss;
}

/** What an app knows of the host that it runs in. */
export interface McpUiHostContext {
  /** What else the host says. */
  [key: string]: unknown;
  /** The tool call for which the app was opened. */
  toolInfo?: {
    /** The id of the request that called the tool. */
    id?: RequestId;
    /** The tool, as its server declares it. */
    tool: Tool;
  };
  /** The theme of the host. */
  theme?: McpUiTheme;
  /** The styles of the host. */
  styles?: McpUiHostStyles;
  /** How the app is shown. */
  displayMode?: McpUiDisplayMode;
  /** How the host can show apps. */
  availableDisplayModes?: McpUiDisplayMode[];
  /** The size of the frame that holds the app: in each direction fixed, or up to a limit. */
  containerDimensions?: (
    | {
      /** The height in pixels. */
      height: number;
    }
    | {
      /** The greatest height in pixels. */
      maxHeight?: number | undefined;
    }
  ) & (
    | {
      /** The width in pixels. */
      width: number;
    }
    | {
      /** The greatest width in pixels. */
      maxWidth?: number | undefined;
    }
  );
  /** The language and region of the user, as a BCP 47 tag. */
  locale?: string;
  /** The time zone of the user, by its IANA name. */
  timeZone?: string;
  /** The name of the host. */
  userAgent?: string;
  /** What the host runs on. */
  platform?:
    /** A browser. */
    | "web"
    /** A desktop application. */
    | "desktop"
    /** A mobile application. */
    | "mobile";
  /** How the user points at things. */
  deviceCapabilities?: {
    /** Whether by touch. */
    touch?: boolean;
    /** Whether by a pointer that can hover. */
    hover?: boolean;
  };
  /** How much of each edge the device may cover. */
  safeAreaInsets?: {
    /** The inset at the top, in pixels. */
    top: number;
    /** The inset at the right, in pixels. */
    right: number;
    /** The inset at the bottom, in pixels. */
    bottom: number;
    /** The inset at the left, in pixels. */
    left: number;
  };
}

/** Tells the app that its context has changed. */
export interface McpUiHostContextChangedNotification {
  /** The method that says what happened. */
  method: "ui/notifications/host-context-changed";
  /** The parameters of the notification. */
  params: McpUiHostContext;
}

/** Replaces what the app has told the model, without asking for a reply. */
export interface McpUiUpdateModelContextRequest {
  /** The method that this request calls. */
  method: "ui/update-model-context";
  /** The parameters of the request. */
  params: {
    /** What the model should know, as content. */
    content?: ContentBlock[];
    /** What the model should know, as data. */
    structuredContent?: Record<string, unknown>;
  };
}

/** Asks the app to finish before the host closes it. */
export interface McpUiResourceTeardownRequest {
  /** The method that this request calls. */
  method: "ui/resource-teardown";
  /** The parameters of the request. */
  params: {};
}

/** Says that the app may be closed. */
export interface McpUiResourceTeardownResult {
  /** What else there is. */
  [key: string]: unknown;
}

/** The kinds of content that a host accepts from an app. Those that are present are accepted. */
export interface McpUiSupportedContentBlockModalities {
  /** Text is accepted. */
  text?: {};
  /** Images are accepted. */
  image?: {};
  /** Audio is accepted. */
  audio?: {};
  /** Embedded resources are accepted. */
  resource?: {};
  /** Links to resources are accepted. */
  resourceLink?: {};
  /** Structured content is accepted. */
  structuredContent?: {};
}

/** Tells the host that the app wants to be closed. The host decides. */
export interface McpUiRequestTeardownNotification {
  /** The method that says what happened. */
  method: "ui/notifications/request-teardown";
  /** The parameters of the notification. */
  params?: {};
}

/** What a host offers an app. What is present is offered. */
export interface McpUiHostCapabilities {
  /** Experimental features, by their identifiers. */
  experimental?: Record<string, object>;
  /** The host opens links. */
  openLinks?: {};
  /** The host saves files. */
  downloadFile?: {};
  /** The host passes tool calls of the app to its server. */
  serverTools?: {
    /** Whether the app receives notifications that the list of tools has changed. */
    listChanged?: boolean;
  };
  /** The host passes reads of resources to the app's server. */
  serverResources?: {
    /** Whether the app receives notifications that the list of resources has changed. */
    listChanged?: boolean;
  };
  /** The host accepts log messages. */
  logging?: {};
  /** What the sandbox lets the app do. */
  sandbox?: {
    /** What the app may use of the browser. */
    permissions?: McpUiResourcePermissions;
    /** What the app may load and connect to. */
    csp?: McpUiResourceCsp;
  };
  /** The host passes what the app tells the model on, if it is of these kinds. */
  updateModelContext?: McpUiSupportedContentBlockModalities;
  /** The host accepts messages for the conversation, if they are of these kinds. */
  message?: McpUiSupportedContentBlockModalities;
  /** The host has its model answer for the app. */
  sampling?: {
    /** The model may use tools for that. */
    tools?: {};
  };
}

/** What an app offers its host. What is present is offered. */
export interface McpUiAppCapabilities {
  /** Experimental features, by their identifiers. */
  experimental?: Record<string, object>;
  /** The app has tools of its own that the host can call. */
  tools?: {
    /** Whether the app sends notifications that the list of its tools has changed. */
    listChanged?: boolean;
  };
  /** How the app can be shown. */
  availableDisplayModes?: McpUiDisplayMode[];
}

/** Begins the connection between an app and its host. */
export interface McpUiInitializeRequest {
  /** The method that this request calls. */
  method: "ui/initialize";
  /** The parameters of the request. */
  params: {
    /** The name and version of the app. */
    appInfo: Implementation;
    /** What the app offers. */
    appCapabilities: McpUiAppCapabilities;
    /** The version of the extension that the app speaks. */
    protocolVersion: string;
  };
}

/** Tells the app about its host. */
export interface McpUiInitializeResult {
  /** The version of the extension that both sides speak from now on. */
  protocolVersion: string;
  /** The name and version of the host. */
  hostInfo: Implementation;
  /** What the host offers. */
  hostCapabilities: McpUiHostCapabilities;
  /** What the app is to know of its surroundings. */
  hostContext: McpUiHostContext;
  /** What else there is. */
  [key: string]: unknown;
}

/** Tells the host that the app is ready. */
export interface McpUiInitializedNotification {
  /** The method that says what happened. */
  method: "ui/notifications/initialized";
  /** The parameters of the notification. */
  params?: {};
}

/**
 * The origins that an app needs, from which the host makes its Content Security Policy. All
 * have to be listed: also those that serve the app's own scripts and styles.
 */
export interface McpUiResourceCsp {
  /** Origins that the app connects to: connect-src. None by default. */
  connectDomains?: string[];
  /**
   * Origins of scripts, styles, images, fonts and media; a subdomain may be a wildcard. None by
   * default.
   */
  resourceDomains?: string[];
  /** Origins of frames inside the app: frame-src. None by default. */
  frameDomains?: string[];
  /** Base URIs of the document: base-uri. Only its own origin by default. */
  baseUriDomains?: string[];
}

/**
 * What an app needs of the browser. A host need not grant it, so the app should look at what it
 * has got.
 */
export interface McpUiResourcePermissions {
  /** The camera. */
  camera?: {};
  /** The microphone. */
  microphone?: {};
  /** The location of the user. */
  geolocation?: {};
  /** Writing to the clipboard. */
  clipboardWrite?: {};
  /** Tools of the page, by WebMCP. */
  tools?: {};
}

/** What a UI resource says of itself, under the key `ui` of its metadata. */
export interface McpUiResourceMeta {
  /** The origins that the app needs. */
  csp?: McpUiResourceCsp;
  /** What the app needs of the browser. */
  permissions?: McpUiResourcePermissions;
  /**
   * The origin that the app is to have, where it needs one that stays the same. The host says
   * what form it has; by default each app has one of its own.
   */
  domain?: string;
  /** Whether the app wants a border and a background. If it is absent, the host decides. */
  prefersBorder?: boolean;
}

/** Asks the host to show the app in another way. */
export interface McpUiRequestDisplayModeRequest {
  /** The method that this request calls. */
  method: "ui/request-display-mode";
  /** The parameters of the request. */
  params: {
    /** How the app wants to be shown. */
    mode: McpUiDisplayMode;
  };
}

/** Says how the app is shown now. */
export interface McpUiRequestDisplayModeResult {
  /** How the app is shown, which may not be what it asked for. */
  mode: McpUiDisplayMode;
  /** What else there is. */
  [key: string]: unknown;
}

/** Who may call a tool. */
export type McpUiToolVisibility =
  /** The model, which sees the tool. */
  | "model"
  /** Apps of the same server. */
  | "app";

/** What a tool says of its app, under the key `ui` of its metadata. */
export interface McpUiToolMeta {
  /** The URI of the UI resource that shows calls of the tool. */
  resourceUri?: string;
  /** Who may call the tool: the model and apps, if it is absent. */
  visibility?: McpUiToolVisibility[];
  /** The origins belong to the resource; see {@link McpUiResourceMeta}. */
  csp?: never;
  /** The permissions belong to the resource; see {@link McpUiResourceMeta}. */
  permissions?: never;
}

/** The method of {@link McpUiOpenLinkRequest}. */
export const OPEN_LINK_METHOD: McpUiOpenLinkRequest["method"] = "ui/open-link";

/** The method of {@link McpUiDownloadFileRequest}. */
export const DOWNLOAD_FILE_METHOD: McpUiDownloadFileRequest["method"] = "ui/download-file";

/** The method of {@link McpUiMessageRequest}. */
export const MESSAGE_METHOD: McpUiMessageRequest["method"] = "ui/message";

/** The method of {@link McpUiSandboxProxyReadyNotification}. */
export const SANDBOX_PROXY_READY_METHOD: McpUiSandboxProxyReadyNotification["method"] =
  "ui/notifications/sandbox-proxy-ready";

/** The method of {@link McpUiSandboxResourceReadyNotification}. */
export const SANDBOX_RESOURCE_READY_METHOD: McpUiSandboxResourceReadyNotification["method"] =
  "ui/notifications/sandbox-resource-ready";

/** The method of {@link McpUiSizeChangedNotification}. */
export const SIZE_CHANGED_METHOD: McpUiSizeChangedNotification["method"] =
  "ui/notifications/size-changed";

/** The method of {@link McpUiToolInputNotification}. */
export const TOOL_INPUT_METHOD: McpUiToolInputNotification["method"] =
  "ui/notifications/tool-input";

/** The method of {@link McpUiToolInputPartialNotification}. */
export const TOOL_INPUT_PARTIAL_METHOD: McpUiToolInputPartialNotification["method"] =
  "ui/notifications/tool-input-partial";

/** The method of {@link McpUiToolResultNotification}. */
export const TOOL_RESULT_METHOD: McpUiToolResultNotification["method"] =
  "ui/notifications/tool-result";

/** The method of {@link McpUiToolCancelledNotification}. */
export const TOOL_CANCELLED_METHOD: McpUiToolCancelledNotification["method"] =
  "ui/notifications/tool-cancelled";

/** The method of {@link McpUiHostContextChangedNotification}. */
export const HOST_CONTEXT_CHANGED_METHOD: McpUiHostContextChangedNotification["method"] =
  "ui/notifications/host-context-changed";

/** The method of {@link McpUiRequestTeardownNotification}. */
export const REQUEST_TEARDOWN_METHOD: McpUiRequestTeardownNotification["method"] =
  "ui/notifications/request-teardown";

/** The method of {@link McpUiResourceTeardownRequest}. */
export const RESOURCE_TEARDOWN_METHOD: McpUiResourceTeardownRequest["method"] =
  "ui/resource-teardown";

/** The method of {@link McpUiInitializeRequest}. */
export const INITIALIZE_METHOD: McpUiInitializeRequest["method"] = "ui/initialize";

/** The method of {@link McpUiInitializedNotification}. */
export const INITIALIZED_METHOD: McpUiInitializedNotification["method"] =
  "ui/notifications/initialized";

/** The method of {@link McpUiRequestDisplayModeRequest}. */
export const REQUEST_DISPLAY_MODE_METHOD: McpUiRequestDisplayModeRequest["method"] =
  "ui/request-display-mode";

/** What a client declares of the extension. */
export interface McpUiClientCapabilities {
  /** The MIME types of the resources that it can show, such as `text/html;profile=mcp-app`. */
  mimeTypes?: string[];
}
