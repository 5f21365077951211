// Model Context Protocol, revision 2025-06-18.
//
// The declarations follow the official schema of this revision: every name, member, type and
// tag, in its order. The comments are this project's own.

/**
 * Any one message on the wire. Batches do not exist in this revision.
 *
 * @category JSON-RPC
 */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError;

/**
 * The date that names this revision in messages.
 *
 * @internal
 */
export const LATEST_PROTOCOL_VERSION = "2025-06-18";

/**
 * The version of JSON-RPC that every message states.
 *
 * @internal
 */
export const JSONRPC_VERSION = "2.0";

/**
 * A value that ties progress notifications to the request that asked for them. The requester
 * chooses it, unique among its running requests; a number is an integer.
 *
 * @category Common Types
 */
export type ProgressToken = string | number;

/**
 * An opaque position in a list that is sent in pages. Only the server that made it can read it.
 *
 * @category Common Types
 */
export type Cursor = string;

/**
 * The members that all requests share, without those of JSON-RPC.
 *
 * @internal
 */
export interface Request {
  /** The method to call. */
  method: string;
  /** The parameters of the call, in the shape that the method defines. */
  params?: {
    /** Metadata of the request, apart from the parameters of its method. */
    _meta?: {
      /**
       * A token that asks for progress notifications about this request. The receiver may send any
       * number of them, or none; without a token it sends none.
       */
      progressToken?: ProgressToken;
      /** Further metadata, by key. */
      [key: string]: unknown;
    };
    /** The parameters of the method. */
    [key: string]: unknown;
  };
}

/**
 * The members that all notifications share, without those of JSON-RPC.
 *
 * @internal
 */
export interface Notification {
  /** The method that says what happened. */
  method: string;
  /** The details, in the shape that the method defines. */
  params?: {
    /** Metadata of the notification, apart from the parameters of its method. */
    _meta?: { [key: string]: unknown };
    /** The parameters of the method. */
    [key: string]: unknown;
  };
}

/**
 * The members that all results share. Receivers must tolerate members that they do not know.
 *
 * @category Common Types
 */
export interface Result {
  /** Metadata of the result, apart from what the method returns. */
  _meta?: { [key: string]: unknown };
  /** The members of the method's own result. */
  [key: string]: unknown;
}

/**
 * The identity of a request, chosen by its sender and never used twice in a session; a number is an
 * integer. The id 1 and the id "1" are two different ids.
 *
 * @category Common Types
 */
export type RequestId = string | number;

/**
 * A message that calls a method and expects a response.
 *
 * @category JSON-RPC
 */
export interface JSONRPCRequest extends Request {
  /** The version of JSON-RPC. */
  jsonrpc: typeof JSONRPC_VERSION;
  /** The id that the response will repeat. */
  id: RequestId;
}

/**
 * A message that expects no response and must not get one.
 *
 * @category JSON-RPC
 */
export interface JSONRPCNotification extends Notification {
  /** The version of JSON-RPC. */
  jsonrpc: typeof JSONRPC_VERSION;
}

/**
 * The response to a request that succeeded.
 *
 * @category JSON-RPC
 */
export interface JSONRPCResponse {
  /** The version of JSON-RPC. */
  jsonrpc: typeof JSONRPC_VERSION;
  /** The id of the request, as a string or a number just as it was sent. */
  id: RequestId;
  /** What the method returns. */
  result: Result;
}

/** The code for a message that is not valid JSON. */
export const PARSE_ERROR = -32700;

/** The code for JSON that is not a valid request, such as an array. */
export const INVALID_REQUEST = -32600;

/**
 * The code for a method that the receiver does not know, or whose capability it did not declare.
 */
export const METHOD_NOT_FOUND = -32601;

/** The code for parameters that do not fit the method, such as an unknown tool or a bad cursor. */
export const INVALID_PARAMS = -32602;

/** The code for a failure inside the receiver. */
export const INTERNAL_ERROR = -32603;

/**
 * The response to a request that failed.
 *
 * @category JSON-RPC
 */
export interface JSONRPCError {
  /** The version of JSON-RPC. */
  jsonrpc: typeof JSONRPC_VERSION;
  /** The id of the request, as a string or a number just as it was sent. */
  id: RequestId;
  /** What went wrong. */
  error: {
    /** The kind of error. Codes from -32768 to -32000 belong to JSON-RPC and the protocol. */
    code: number;
    /** What went wrong, in one short sentence. */
    message: string;
    /** Details in the shape that the sender defines for the code. */
    data?: unknown;
  };
}

/**
 * A result that says no more than that the request succeeded.
 *
 * @category Common Types
 */
export type EmptyResult = Result;

/**
 * Tells the receiver that the result of a request is no longer wanted. Either side may send it
 * about its own requests, except that `initialize` cannot be cancelled. It may arrive too late.
 *
 * @category `notifications/cancelled`
 */
export interface CancelledNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/cancelled";
  /** The parameters of the notification. */
  params: {
    /** The request to cancel. It must be one that the sender of this notification sent. */
    requestId: RequestId;
    /** Why the request was cancelled, for logs and for people. */
    reason?: string;
  };
}

/**
 * Opens a session. It is the first message from the client, and the server's answer settles the
 * protocol version and the capabilities of both sides.
 *
 * @category `initialize`
 */
export interface InitializeRequest extends Request {
  /** The method that this request calls. */
  method: "initialize";
  /** The parameters of the request. */
  params: {
    /**
     * A revision that the client speaks, preferably its newest. The server may answer with another.
     */
    protocolVersion: string;
    /** What the client can do for the server. */
    capabilities: ClientCapabilities;
    /** The name and version of the client. */
    clientInfo: Implementation;
  };
}

/**
 * The server's side of the handshake. The client follows it with `notifications/initialized`.
 *
 * @category `initialize`
 */
export interface InitializeResult extends Result {
  /**
   * The revision to use in this session: the one that the client asked for if the server speaks it.
   * A client that does not speak the one named here should disconnect.
   */
  protocolVersion: string;
  /** What the server offers. */
  capabilities: ServerCapabilities;
  /** The name and version of the server. */
  serverInfo: Implementation;
  /** Advice on using the server well, meant for the model that will work with it. */
  instructions?: string;
}

/**
 * Ends the handshake: the client is ready for ordinary messages.
 *
 * @category `notifications/initialized`
 */
export interface InitializedNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/initialized";
}

/**
 * What a client can do for a server. A feature that is absent must not be used; an empty object
 * means that it is there. The set is open.
 *
 * @category `initialize`
 */
export interface ClientCapabilities {
  /** Features outside the protocol, by name, each with settings of its own. */
  experimental?: { [key: string]: object };
  /** Present if the client can list its roots. */
  roots?: {
    /** Whether the client announces changes of its list of roots. */
    listChanged?: boolean;
  };
  /** Present if the client can sample a language model for the server. */
  sampling?: object;
  /** Present if the client can ask the user for information on the server's behalf. */
  elicitation?: object;
}

/**
 * What a server offers. A feature that is absent must not be used; an empty object means that it is
 * there. The set is open.
 *
 * @category `initialize`
 */
export interface ServerCapabilities {
  /** Features outside the protocol, by name, each with settings of its own. */
  experimental?: { [key: string]: object };
  /** Present if the server can send log messages. */
  logging?: object;
  /** Present if the server can complete arguments. */
  completions?: object;
  /** Present if the server offers prompts. */
  prompts?: {
    /** Whether the server announces changes of its list of prompts. */
    listChanged?: boolean;
  };
  /** Present if the server offers resources. */
  resources?: {
    /** Whether clients can subscribe to changes of single resources. */
    subscribe?: boolean;
    /** Whether the server announces changes of its list of resources. */
    listChanged?: boolean;
  };
  /** Present if the server offers tools. */
  tools?: {
    /** Whether the server announces changes of its list of tools. */
    listChanged?: boolean;
  };
}

/**
 * The names that things of the protocol have, for programs and for people.
 *
 * @internal
 */
export interface BaseMetadata {
  /** The name for programs, and the one to show when there is no title. */
  name: string;
  /** The name for people. Absent means that `name` is shown. */
  title?: string;
}

/**
 * The name and version of a client or server program, as it reports them about itself.
 *
 * @category `initialize`
 */
export interface Implementation extends BaseMetadata {
  /** The version of the program, in its own format. */
  version: string;
}

/**
 * Asks the other side whether it is still there. Both sides must answer promptly with an empty
 * result, even before the handshake is over.
 *
 * @category `ping`
 */
export interface PingRequest extends Request {
  /** The method that this request calls. */
  method: "ping";
}

/**
 * Tells how far a running request has come. Either side may send it about a request that it was
 * sent with a progress token, until the request is done.
 *
 * @category `notifications/progress`
 */
export interface ProgressNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/progress";
  /** The parameters of the notification. */
  params: {
    /** The token of the request that this is about. */
    progressToken: ProgressToken;
    /**
     * How far the work has come, in a unit of the sender's choice. It grows with every notification
     * and may be fractional.
     *
     * @TJS-type number
     */
    progress: number;
    /**
     * The value of `progress` at which the work is done, possibly fractional. Absent when unknown.
     *
     * @TJS-type number
     */
    total?: number;
    /** What is going on at the moment, for people. */
    message?: string;
  };
}

/**
 * A request for one page of a list.
 *
 * @internal
 */
export interface PaginatedRequest extends Request {
  /** The parameters of the request. Absent means the first page. */
  params?: {
    /**
     * Where the page begins, from the answer that held the page before. Absent means the first
     * page.
     */
    cursor?: Cursor;
  };
}

/**
 * One page of a list.
 *
 * @internal
 */
export interface PaginatedResult extends Result {
  /** Where the next page begins. Absent on the last page. */
  nextCursor?: Cursor;
}

/**
 * Asks for the resources that the server offers.
 *
 * @category `resources/list`
 */
export interface ListResourcesRequest extends PaginatedRequest {
  /** The method that this request calls. */
  method: "resources/list";
}

/**
 * One page of the resources that the server offers.
 *
 * @category `resources/list`
 */
export interface ListResourcesResult extends PaginatedResult {
  /** The resources on this page. */
  resources: Resource[];
}

/**
 * Asks for the resource templates that the server offers.
 *
 * @category `resources/templates/list`
 */
export interface ListResourceTemplatesRequest extends PaginatedRequest {
  /** The method that this request calls. */
  method: "resources/templates/list";
}

/**
 * One page of the resource templates that the server offers.
 *
 * @category `resources/templates/list`
 */
export interface ListResourceTemplatesResult extends PaginatedResult {
  /** The templates on this page. */
  resourceTemplates: ResourceTemplate[];
}

/**
 * Asks for the contents of a resource.
 *
 * @category `resources/read`
 */
export interface ReadResourceRequest extends Request {
  /** The method that this request calls. */
  method: "resources/read";
  /** The parameters of the request. */
  params: {
    /**
     * The URI of the resource to read. What it means is up to the server.
     *
     * @format uri
     */
    uri: string;
  };
}

/**
 * The contents of a resource.
 *
 * @category `resources/read`
 */
export interface ReadResourceResult extends Result {
  /**
   * The parts of the resource, each with a URI of its own: one as a rule, several for something
   * like a directory.
   */
  contents: (TextResourceContents | BlobResourceContents)[];
}

/**
 * Tells the client that the list of resources has changed. The client need not have asked for it.
 *
 * @category `notifications/resources/list_changed`
 */
export interface ResourceListChangedNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/resources/list_changed";
}

/**
 * Asks the server to report changes of a resource from now on, by
 * `notifications/resources/updated`.
 *
 * @category `resources/subscribe`
 */
export interface SubscribeRequest extends Request {
  /** The method that this request calls. */
  method: "resources/subscribe";
  /** The parameters of the request. */
  params: {
    /**
     * The URI of the resource to watch.
     *
     * @format uri
     */
    uri: string;
  };
}

/**
 * Asks the server to stop reporting changes of a resource that was subscribed to.
 *
 * @category `resources/unsubscribe`
 */
export interface UnsubscribeRequest extends Request {
  /** The method that this request calls. */
  method: "resources/unsubscribe";
  /** The parameters of the request. */
  params: {
    /**
     * The URI of the resource to watch no longer.
     *
     * @format uri
     */
    uri: string;
  };
}

/**
 * Tells the client that a resource which it subscribed to has changed and may be read again.
 *
 * @category `notifications/resources/updated`
 */
export interface ResourceUpdatedNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/resources/updated";
  /** The parameters of the notification. */
  params: {
    /**
     * The URI of the resource that changed. It may be a part of the one subscribed to.
     *
     * @format uri
     */
    uri: string;
  };
}

/**
 * A thing that the server can let clients read, such as a file or a record.
 *
 * @category `resources/list`
 */
export interface Resource extends BaseMetadata {
  /**
   * The URI that identifies the resource.
   *
   * @format uri
   */
  uri: string;
  /** What the resource holds. It also helps a model to decide whether to read it. */
  description?: string;
  /** The media type of the content. Absent when unknown. */
  mimeType?: string;
  /** Hints for the client on how to use or show this. */
  annotations?: Annotations;
  /** The size of the content in bytes, before any encoding as base64. Absent when unknown. */
  size?: number;
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: { [key: string]: unknown };
}

/**
 * A family of resources whose URIs follow one pattern.
 *
 * @category `resources/templates/list`
 */
export interface ResourceTemplate extends BaseMetadata {
  /**
   * The pattern of the URIs, a URI template as in RFC 6570.
   *
   * @format uri-template
   */
  uriTemplate: string;
  /**
   * What the resources of this family hold. It also helps a model to decide whether to use them.
   */
  description?: string;
  /**
   * The media type of the content. Absent when unknown, or when the resources of this family
   * differ.
   */
  mimeType?: string;
  /** Hints for the client on how to use or show this. */
  annotations?: Annotations;
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: { [key: string]: unknown };
}

/**
 * The contents of a resource, or of one part of it.
 *
 * @internal
 */
export interface ResourceContents {
  /**
   * The URI of the resource, or of the part of it, that this holds.
   *
   * @format uri
   */
  uri: string;
  /** The media type of the content. Absent when unknown. */
  mimeType?: string;
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: { [key: string]: unknown };
}

/**
 * Contents that are text.
 *
 * @category Content
 */
export interface TextResourceContents extends ResourceContents {
  /** The text. It may be empty. */
  text: string;
}

/**
 * Contents that are bytes.
 *
 * @category Content
 */
export interface BlobResourceContents extends ResourceContents {
  /**
   * The bytes, as base64.
   *
   * @format byte
   */
  blob: string;
}

/**
 * Asks for the prompts that the server offers.
 *
 * @category `prompts/list`
 */
export interface ListPromptsRequest extends PaginatedRequest {
  /** The method that this request calls. */
  method: "prompts/list";
}

/**
 * One page of the prompts that the server offers.
 *
 * @category `prompts/list`
 */
export interface ListPromptsResult extends PaginatedResult {
  /** The prompts on this page. */
  prompts: Prompt[];
}

/**
 * Asks for the messages of a prompt.
 *
 * @category `prompts/get`
 */
export interface GetPromptRequest extends Request {
  /** The method that this request calls. */
  method: "prompts/get";
  /** The parameters of the request. */
  params: {
    /** The name of the prompt. */
    name: string;
    /** The values of the prompt's arguments, by name. */
    arguments?: { [key: string]: string };
  };
}

/**
 * A prompt with its arguments filled in.
 *
 * @category `prompts/get`
 */
export interface GetPromptResult extends Result {
  /** What the prompt is for. */
  description?: string;
  /** The messages to give to the model, in order. */
  messages: PromptMessage[];
}

/**
 * A message or a conversation that the server has ready for people to start from.
 *
 * @category `prompts/list`
 */
export interface Prompt extends BaseMetadata {
  /** What the prompt is for. */
  description?: string;
  /** The values that the prompt takes. Absent when it takes none. */
  arguments?: PromptArgument[];
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: { [key: string]: unknown };
}

/**
 * A value that a prompt takes.
 *
 * @category `prompts/list`
 */
export interface PromptArgument extends BaseMetadata {
  /** What the argument means. */
  description?: string;
  /** Whether the prompt cannot do without the argument. */
  required?: boolean;
}

/**
 * A party to a conversation: the sender of a message, or the reader that content is meant for.
 *
 * @category Common Types
 */
export type Role =
  /** The human user. */
  | "user"
  /** The language model. */
  | "assistant";

/**
 * One message of a prompt.
 *
 * @category `prompts/get`
 */
export interface PromptMessage {
  /** Who says it. */
  role: Role;
  /** What is said, as a single block of content. */
  content: ContentBlock;
}

/**
 * A reference to a resource, as part of a prompt or of a tool's result. The resource need not be in
 * the server's list.
 *
 * @category Content
 */
export interface ResourceLink extends Resource {
  /** The kind of content, by which its shape is known. */
  type: "resource_link";
}

/**
 * The contents of a resource, as part of a prompt or of a tool's result.
 *
 * @category Content
 */
export interface EmbeddedResource {
  /** The kind of content, by which its shape is known. */
  type: "resource";
  /** The contents. */
  resource: TextResourceContents | BlobResourceContents;
  /** Hints for the client on how to use or show this. */
  annotations?: Annotations;
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: { [key: string]: unknown };
}

/**
 * Tells the client that the list of prompts has changed. The client need not have asked for it.
 *
 * @category `notifications/prompts/list_changed`
 */
export interface PromptListChangedNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/prompts/list_changed";
}

/**
 * Asks for the tools that the server offers.
 *
 * @category `tools/list`
 */
export interface ListToolsRequest extends PaginatedRequest {
  /** The method that this request calls. */
  method: "tools/list";
}

/**
 * One page of the tools that the server offers.
 *
 * @category `tools/list`
 */
export interface ListToolsResult extends PaginatedResult {
  /** The tools on this page. */
  tools: Tool[];
}

/**
 * What a tool gives back. A tool that fails says so here, where the model can read it, rather than
 * by an error of the protocol.
 *
 * @category `tools/call`
 */
export interface CallToolResult extends Result {
  /** What the tool gives back, for the model to read. It may be empty. */
  content: ContentBlock[];
  /**
   * What the tool gives back, as an object that fits the tool's output schema. The same should
   * stand in the content as text, for clients that do not read this.
   */
  structuredContent?: { [key: string]: unknown };
  /** Whether the tool failed. Absent means that it succeeded. */
  isError?: boolean;
}

/**
 * Calls a tool.
 *
 * @category `tools/call`
 */
export interface CallToolRequest extends Request {
  /** The method that this request calls. */
  method: "tools/call";
  /** The parameters of the request. */
  params: {
    /** The name of the tool. */
    name: string;
    /**
     * The values of the tool's arguments, by name, in the shape of its input schema. Absent means
     * the same as an empty object.
     */
    arguments?: { [key: string]: unknown };
  };
}

/**
 * Tells the client that the list of tools has changed. The client need not have asked for it.
 *
 * @category `notifications/tools/list_changed`
 */
export interface ToolListChangedNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/tools/list_changed";
}

/**
 * Hints about what a tool does. A server need not tell the truth, so a client must not rely on them
 * unless it trusts the server.
 *
 * @category `tools/list`
 */
export interface ToolAnnotations {
  /** The name of the tool for people, for want of a title of the tool itself. */
  title?: string;
  /**
   * Whether the tool only reads and changes nothing. Absent means that it may change things.
   *
   * @default false
   */
  readOnlyHint?: boolean;
  /**
   * Whether the tool may overwrite or delete, rather than only add. Absent means that it may. It
   * says nothing about tools that only read.
   *
   * @default true
   */
  destructiveHint?: boolean;
  /**
   * Whether calling the tool again with the same arguments changes nothing more. Absent means that
   * it may. It says nothing about tools that only read.
   *
   * @default false
   */
  idempotentHint?: boolean;
  /**
   * Whether the tool deals with things outside a closed domain, such as the public internet. Absent
   * means that it does.
   *
   * @default true
   */
  openWorldHint?: boolean;
}

/**
 * A function of the server that a model can call.
 *
 * @category `tools/list`
 */
export interface Tool extends BaseMetadata {
  /** What the tool does, for the model to decide when to call it. */
  description?: string;
  /** The JSON Schema of the arguments. */
  inputSchema: {
    /** The type of the arguments as a whole. */
    type: "object";
    /** The schema of each argument, by name. */
    properties?: { [key: string]: object };
    /** The names of the arguments that must be given. */
    required?: string[];
  };
  /**
   * The JSON Schema of the structured content that the tool gives back. Absent when it promises
   * none.
   */
  outputSchema?: {
    /** The type of the structured content as a whole. */
    type: "object";
    /** The schema of each member, by name. */
    properties?: { [key: string]: object };
    /** The names of the members that are always there. */
    required?: string[];
  };
  /** Hints about what the tool does. */
  annotations?: ToolAnnotations;
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: { [key: string]: unknown };
}

/**
 * Tells the server which log messages to send from now on. Until then the server decides.
 *
 * @category `logging/setLevel`
 */
export interface SetLevelRequest extends Request {
  /** The method that this request calls. */
  method: "logging/setLevel";
  /** The parameters of the request. */
  params: {
    /** The least severe level to send. Messages of this level and above it are sent. */
    level: LoggingLevel;
  };
}

/**
 * One log message of the server.
 *
 * @category `notifications/message`
 */
export interface LoggingMessageNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/message";
  /** The parameters of the notification. */
  params: {
    /** How severe the event is. */
    level: LoggingLevel;
    /** The name of the part of the server that logs. */
    logger?: string;
    /** What is logged: a text or any other JSON value. */
    data: unknown;
  };
}

/**
 * How severe a logged event is, from debug, the least, to emergency, the most, as in RFC 5424.
 *
 * @category Common Types
 */
export type LoggingLevel =
  /** Details for those who look for a fault. */
  | "debug"
  /** Something that happens in the normal course of work. */
  | "info"
  /** Something normal that deserves attention. */
  | "notice"
  /** Something that may lead to an error. */
  | "warning"
  /** An operation failed. */
  | "error"
  /** A part of the system failed. */
  | "critical"
  /** Somebody must act at once. */
  | "alert"
  /** The system cannot be used. */
  | "emergency";

/**
 * Asks the client to let a language model write a message. The client picks the model, and should
 * let the user see and approve both the request and the answer.
 *
 * @category `sampling/createMessage`
 */
export interface CreateMessageRequest extends Request {
  /** The method that this request calls. */
  method: "sampling/createMessage";
  /** The parameters of the request. */
  params: {
    /** The conversation so far, which the model is to continue. */
    messages: SamplingMessage[];
    /** What to look for in a model. The client may choose otherwise. */
    modelPreferences?: ModelPreferences;
    /** The system prompt that the server would like. The client may change it or leave it out. */
    systemPrompt?: string;
    /**
     * Which context from MCP servers to add to the conversation. The client may decide otherwise.
     */
    includeContext?:
      /** No context. */
      | "none"
      /** Context from the server that asks. */
      | "thisServer"
      /** Context from all servers that the client is connected to. */
      | "allServers";
    /**
     * The randomness of the answer, on the scale of the model. The client may change it.
     *
     * @TJS-type number
     */
    temperature?: number;
    /** The most tokens that the answer may have. The client must keep to it. */
    maxTokens: number;
    /** Texts at which the model is to stop. The client may ignore them. */
    stopSequences?: string[];
    /** Settings for the provider of the model, in its own format. The client may ignore them. */
    metadata?: object;
  };
}

/**
 * The message that a language model wrote for the server, as far as the client passes it on.
 *
 * @category `sampling/createMessage`
 */
export interface CreateMessageResult extends Result, SamplingMessage {
  /** The name of the model that wrote the message. */
  model: string;
  /**
   * Why the model stopped. Other values than those named here are possible. Absent when unknown.
   */
  stopReason?:
    /** The model had said what it wanted to say. */
    | "endTurn"
    /** The model came to one of the stop sequences. */
    | "stopSequence"
    /** The answer reached the largest number of tokens. */
    | "maxTokens"
    | string;
}

/**
 * One message of a conversation with a language model.
 *
 * @category `sampling/createMessage`
 */
export interface SamplingMessage {
  /** Who says it. */
  role: Role;
  /** What is said, as a single block of content. */
  content: TextContent | ImageContent | AudioContent;
}

/**
 * Hints for the client on how to use or show something.
 *
 * @category Common Types
 */
export interface Annotations {
  /** For whom the content is meant. Absent leaves it open. */
  audience?: Role[];
  /**
   * How important the content is, from 0 (it can be left out) to 1 (it is needed).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  priority?: number;
  /** When the content last changed, as an ISO 8601 time such as `2025-05-03T14:30:00Z`. */
  lastModified?: string;
}

/**
 * A piece of content in a prompt or in a tool's result.
 *
 * @category Content
 */
export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource;

/**
 * Text, for a model or a person.
 *
 * @category Content
 */
export interface TextContent {
  /** The kind of content, by which its shape is known. */
  type: "text";
  /** The text. */
  text: string;
  /** Hints for the client on how to use or show this. */
  annotations?: Annotations;
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: { [key: string]: unknown };
}

/**
 * An image, for a model or a person.
 *
 * @category Content
 */
export interface ImageContent {
  /** The kind of content, by which its shape is known. */
  type: "image";
  /**
   * The bytes of the image, as base64.
   *
   * @format byte
   */
  data: string;
  /** The media type of the image, such as `image/png`. */
  mimeType: string;
  /** Hints for the client on how to use or show this. */
  annotations?: Annotations;
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: { [key: string]: unknown };
}

/**
 * Sound, for a model or a person.
 *
 * @category Content
 */
export interface AudioContent {
  /** The kind of content, by which its shape is known. */
  type: "audio";
  /**
   * The bytes of the recording, as base64.
   *
   * @format byte
   */
  data: string;
  /** The media type of the recording, such as `audio/wav`. */
  mimeType: string;
  /** Hints for the client on how to use or show this. */
  annotations?: Annotations;
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: { [key: string]: unknown };
}

/**
 * What a server looks for in a model. The weights say how the qualities compare; the client
 * balances them, and need not follow them.
 *
 * @category `sampling/createMessage`
 */
export interface ModelPreferences {
  /**
   * Models to try, the best first. The client takes the first that it can match, before it looks at
   * the weights.
   */
  hints?: ModelHint[];
  /**
   * The weight of a low price, from 0 (of no matter) to 1 (above all else).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  costPriority?: number;
  /**
   * The weight of a quick answer, from 0 (of no matter) to 1 (above all else).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  speedPriority?: number;
  /**
   * The weight of ability, from 0 (of no matter) to 1 (above all else).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  intelligencePriority?: number;
}

/**
 * A hint at the model to use.
 *
 * @category `sampling/createMessage`
 */
export interface ModelHint {
  /**
   * A part of the name of a model or of a family of models. The client may take a comparable model
   * of another maker.
   */
  name?: string;
}

/**
 * Asks for values that could complete what the user is typing for an argument.
 *
 * @category `completion/complete`
 */
export interface CompleteRequest extends Request {
  /** The method that this request calls. */
  method: "completion/complete";
  /** The parameters of the request. */
  params: {
    /** The prompt or the resource template that the argument belongs to. */
    ref: PromptReference | ResourceTemplateReference;
    /** The argument that the user is typing. */
    argument: {
      /** The name of the argument, or of the variable in the template. */
      name: string;
      /** What has been typed so far. */
      value: string;
    };
    /** What is known besides the argument itself. */
    context?: {
      /**
       * The values of arguments that are already settled, by name. The suggestions may depend on
       * them.
       */
      arguments?: { [key: string]: string };
    };
  };
}

/**
 * Suggestions for the value of an argument.
 *
 * @category `completion/complete`
 */
export interface CompleteResult extends Result {
  /** The suggestions. */
  completion: {
    /** The suggested values, the best first. There are never more than 100. */
    values: string[];
    /** How many suggestions there are in all, including those not sent. Absent when unknown. */
    total?: number;
    /** Whether there are more suggestions than were sent, even where their number is not known. */
    hasMore?: boolean;
  };
}

/**
 * Names a resource or a resource template.
 *
 * @category `completion/complete`
 */
export interface ResourceTemplateReference {
  /** The kind of thing that is named. */
  type: "ref/resource";
  /**
   * The URI of the resource, or the template.
   *
   * @format uri-template
   */
  uri: string;
}

/**
 * Names a prompt.
 *
 * @category `completion/complete`
 */
export interface PromptReference extends BaseMetadata {
  /** The kind of thing that is named. */
  type: "ref/prompt";
}

/**
 * Asks the client for its roots: the files and directories that the server may work on.
 *
 * @category `roots/list`
 */
export interface ListRootsRequest extends Request {
  /** The method that this request calls. */
  method: "roots/list";
}

/**
 * The roots of the client.
 *
 * @category `roots/list`
 */
export interface ListRootsResult extends Result {
  /** The roots. There may be none. */
  roots: Root[];
}

/**
 * A file or directory that the server may work on.
 *
 * @category `roots/list`
 */
export interface Root {
  /**
   * The URI of the file or directory. It begins with `file://`.
   *
   * @format uri
   */
  uri: string;
  /** A name to show for the root. */
  name?: string;
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: { [key: string]: unknown };
}

/**
 * Tells the server that the client's list of roots has changed. The server should ask for it again.
 *
 * @category `notifications/roots/list_changed`
 */
export interface RootsListChangedNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/roots/list_changed";
}

/**
 * Asks the client to get information from the user by a form. Servers must not ask for sensitive
 * information.
 *
 * @category `elicitation/create`
 */
export interface ElicitRequest extends Request {
  /** The method that this request calls. */
  method: "elicitation/create";
  /** The parameters of the request. */
  params: {
    /** What the user is asked for, and why. */
    message: string;
    /** The fields of the form, as a JSON Schema of a flat object. */
    requestedSchema: {
      /** The type of the answer as a whole. */
      type: "object";
      /** The fields of the form, by name. */
      properties: { [key: string]: PrimitiveSchemaDefinition };
      /** The names of the fields that must be filled in. */
      required?: string[];
    };
  };
}

/**
 * The schema of one field of a form: a text, a number, a yes or no, or a choice.
 *
 * @category `elicitation/create`
 */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/**
 * A field for text.
 *
 * @category `elicitation/create`
 */
export interface StringSchema {
  /** The type of the value that the field gives. */
  type: "string";
  /** The name of the field for people. */
  title?: string;
  /** What to fill in, for people. */
  description?: string;
  /** The fewest characters that the text may have. */
  minLength?: number;
  /** The most characters that the text may have. */
  maxLength?: number;
  /** The format that the text must have. Absent means any text. */
  format?:
    /** An email address. */
    | "email"
    /** A URI. */
    | "uri"
    /** A date such as `2025-06-18`. */
    | "date"
    /** A date and time such as `2025-06-18T09:30:00Z`. */
    | "date-time";
}

/**
 * A field for a number.
 *
 * @category `elicitation/create`
 */
export interface NumberSchema {
  /** Which numbers the field takes. */
  type:
    /** Any number. */
    | "number"
    /** Whole numbers only. */
    | "integer";
  /** The name of the field for people. */
  title?: string;
  /** What to fill in, for people. */
  description?: string;
  /**
   * The smallest number allowed.
   *
   * @TJS-type number
   */
  minimum?: number;
  /**
   * The largest number allowed.
   *
   * @TJS-type number
   */
  maximum?: number;
}

/**
 * A field for a yes or no.
 *
 * @category `elicitation/create`
 */
export interface BooleanSchema {
  /** The type of the value that the field gives. */
  type: "boolean";
  /** The name of the field for people. */
  title?: string;
  /** What to fill in, for people. */
  description?: string;
  /** The state that the form starts with. */
  default?: boolean;
}

/**
 * A field for a choice of one from a list.
 *
 * @category `elicitation/create`
 */
export interface EnumSchema {
  /** The type of the value that the field gives. */
  type: "string";
  /** The name of the field for people. */
  title?: string;
  /** What to fill in, for people. */
  description?: string;
  /** The values to choose from. */
  enum: string[];
  /**
   * The texts to show in place of the values, in the same order. Absent means the values
   * themselves.
   */
  enumNames?: string[];
}

/**
 * What the user did with the form.
 *
 * @category `elicitation/create`
 */
export interface ElicitResult extends Result {
  /** What the user decided. */
  action:
    /** The user filled in the form. */
    | "accept"
    /** The user refused. */
    | "decline"
    /** The user went away without a decision. */
    | "cancel";
  /** What the user filled in, by the name of the field. Present only when the user accepted. */
  content?: { [key: string]: string | number | boolean };
}

/**
 * The requests that a client may send.
 *
 * @internal
 */
export type ClientRequest =
  | PingRequest
  | InitializeRequest
  | CompleteRequest
  | SetLevelRequest
  | GetPromptRequest
  | ListPromptsRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscribeRequest
  | UnsubscribeRequest
  | CallToolRequest
  | ListToolsRequest;

/**
 * The notifications that a client may send.
 *
 * @internal
 */
export type ClientNotification =
  | CancelledNotification
  | ProgressNotification
  | InitializedNotification
  | RootsListChangedNotification;

/**
 * The results that a client may send.
 *
 * @internal
 */
export type ClientResult = EmptyResult | CreateMessageResult | ListRootsResult | ElicitResult;

/**
 * The requests that a server may send.
 *
 * @internal
 */
export type ServerRequest = PingRequest | CreateMessageRequest | ListRootsRequest | ElicitRequest;

/**
 * The notifications that a server may send.
 *
 * @internal
 */
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ResourceUpdatedNotification
  | ResourceListChangedNotification
  | ToolListChangedNotification
  | PromptListChangedNotification;

/**
 * The results that a server may send.
 *
 * @internal
 */
export type ServerResult =
  | EmptyResult
  | InitializeResult
  | CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourceTemplatesResult
  | ListResourcesResult
  | ReadResourceResult
  | CallToolResult
  | ListToolsResult;
