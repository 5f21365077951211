// Model Context Protocol, revision 2024-11-05.
//
// The declarations follow the official schema of this revision: every name, member, type and
// tag, in its order. The comments are this project's own.

/** Any one message on the wire: a request, a notification, a response or an error response. */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError;

/** The date that names this revision in messages. */
export const LATEST_PROTOCOL_VERSION = "2024-11-05";

/** The version of JSON-RPC that every message states. */
export const JSONRPC_VERSION = "2.0";

/**
 * A value that ties progress notifications to the request that asked for them. The requester
 * chooses it, unique among its running requests; a number is an integer.
 */
export type ProgressToken = string | number;

/** An opaque position in a list that is sent in pages. Only the server that made it can read it. */
export type Cursor = string;

/** The members that all requests share, without those of JSON-RPC. */
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
    };
    /** The parameters of the method. */
    [key: string]: unknown;
  };
}

/** The members that all notifications share, without those of JSON-RPC. */
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

/** The members that all results share. Receivers must tolerate members that they do not know. */
export interface Result {
  /** Metadata of the result, apart from what the method returns. */
  _meta?: { [key: string]: unknown };
  /** The members of the method's own result. */
  [key: string]: unknown;
}

/**
 * The identity of a request, chosen by its sender and never used twice in a session; a number is an
 * integer. The id 1 and the id "1" are two different ids.
 */
export type RequestId = string | number;

/** A message that calls a method and expects a response. */
export interface JSONRPCRequest extends Request {
  /** The version of JSON-RPC. */
  jsonrpc: typeof JSONRPC_VERSION;
  /** The id that the response will repeat. */
  id: RequestId;
}

/** A message that expects no response and must not get one. */
export interface JSONRPCNotification extends Notification {
  /** The version of JSON-RPC. */
  jsonrpc: typeof JSONRPC_VERSION;
}

/** The response to a request that succeeded. */
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

/** The response to a request that failed. */
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

/** A result that says no more than that the request succeeded. */
export type EmptyResult = Result;

/**
 * Tells the receiver that the result of a request is no longer wanted. Either side may send it
 * about its own requests, except that `initialize` cannot be cancelled. It may arrive too late.
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

/** The server's side of the handshake. The client follows it with `notifications/initialized`. */
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

/** Ends the handshake: the client is ready for ordinary messages. */
export interface InitializedNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/initialized";
}

/**
 * What a client can do for a server. A feature that is absent must not be used; an empty object
 * means that it is there. The set is open.
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
}

/**
 * What a server offers. A feature that is absent must not be used; an empty object means that it is
 * there. The set is open.
 */
export interface ServerCapabilities {
  /** Features outside the protocol, by name, each with settings of its own. */
  experimental?: { [key: string]: object };
  /** Present if the server can send log messages. */
  logging?: object;
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

/** The name and version of a client or server program. */
export interface Implementation {
  /** The name of the program. */
  name: string;
  /** The version of the program, in its own format. */
  version: string;
}

/**
 * Asks the other side whether it is still there. Both sides must answer promptly with an empty
 * result, even before the handshake is over.
 */
export interface PingRequest extends Request {
  /** The method that this request calls. */
  method: "ping";
}

/**
 * Tells how far a running request has come. Either side may send it about a request that it was
 * sent with a progress token, until the request is done.
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
  };
}

/** A request for one page of a list. */
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

/** One page of a list. */
export interface PaginatedResult extends Result {
  /** Where the next page begins. Absent on the last page. */
  nextCursor?: Cursor;
}

/** Asks for the resources that the server offers. */
export interface ListResourcesRequest extends PaginatedRequest {
  /** The method that this request calls. */
  method: "resources/list";
}

/** One page of the resources that the server offers. */
export interface ListResourcesResult extends PaginatedResult {
  /** The resources on this page. */
  resources: Resource[];
}

/** Asks for the resource templates that the server offers. */
export interface ListResourceTemplatesRequest extends PaginatedRequest {
  /** The method that this request calls. */
  method: "resources/templates/list";
}

/** One page of the resource templates that the server offers. */
export interface ListResourceTemplatesResult extends PaginatedResult {
  /** The templates on this page. */
  resourceTemplates: ResourceTemplate[];
}

/** Asks for the contents of a resource. */
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

/** The contents of a resource. */
export interface ReadResourceResult extends Result {
  /**
   * The parts of the resource, each with a URI of its own: one as a rule, several for something
   * like a directory.
   */
  contents: (TextResourceContents | BlobResourceContents)[];
}

/**
 * Tells the client that the list of resources has changed. The client need not have asked for it.
 */
export interface ResourceListChangedNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/resources/list_changed";
}

/**
 * Asks the server to report changes of a resource from now on, by
 * `notifications/resources/updated`.
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

/** Asks the server to stop reporting changes of a resource that was subscribed to. */
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

/** Tells the client that a resource which it subscribed to has changed and may be read again. */
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

/** A thing that the server can let clients read, such as a file or a record. */
export interface Resource extends Annotated {
  /**
   * The URI that identifies the resource.
   *
   * @format uri
   */
  uri: string;
  /** The name to show to people. */
  name: string;
  /** What the resource holds. It also helps a model to decide whether to read it. */
  description?: string;
  /** The media type of the content. Absent when unknown. */
  mimeType?: string;
  /** The size of the content in bytes, before any encoding as base64. Absent when unknown. */
  size?: number;
}

/** A family of resources whose URIs follow one pattern. */
export interface ResourceTemplate extends Annotated {
  /**
   * The pattern of the URIs, a URI template as in RFC 6570.
   *
   * @format uri-template
   */
  uriTemplate: string;
  /** The name to show to people. */
  name: string;
  /**
   * What the resources of this family hold. It also helps a model to decide whether to use them.
   */
  description?: string;
  /**
   * The media type of the content. Absent when unknown, or when the resources of this family
   * differ.
   */
  mimeType?: string;
}

/** The contents of a resource, or of one part of it. */
export interface ResourceContents {
  /**
   * The URI of the resource, or of the part of it, that this holds.
   *
   * @format uri
   */
  uri: string;
  /** The media type of the content. Absent when unknown. */
  mimeType?: string;
}

/** Contents that are text. */
export interface TextResourceContents extends ResourceContents {
  /** The text. It may be empty. */
  text: string;
}

/** Contents that are bytes. */
export interface BlobResourceContents extends ResourceContents {
  /**
   * The bytes, as base64.
   *
   * @format byte
   */
  blob: string;
}

/** Asks for the prompts that the server offers. */
export interface ListPromptsRequest extends PaginatedRequest {
  /** The method that this request calls. */
  method: "prompts/list";
}

/** One page of the prompts that the server offers. */
export interface ListPromptsResult extends PaginatedResult {
  /** The prompts on this page. */
  prompts: Prompt[];
}

/** Asks for the messages of a prompt. */
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

/** A prompt with its arguments filled in. */
export interface GetPromptResult extends Result {
  /** What the prompt is for. */
  description?: string;
  /** The messages to give to the model, in order. */
  messages: PromptMessage[];
}

/** A message or a conversation that the server has ready for people to start from. */
export interface Prompt {
  /** The name of the prompt. */
  name: string;
  /** What the prompt is for. */
  description?: string;
  /** The values that the prompt takes. Absent when it takes none. */
  arguments?: PromptArgument[];
}

/** A value that a prompt takes. */
export interface PromptArgument {
  /** The name of the argument. */
  name: string;
  /** What the argument means. */
  description?: string;
  /** Whether the prompt cannot do without the argument. */
  required?: boolean;
}

/** A party to a conversation: the sender of a message, or the reader that content is meant for. */
export type Role =
  /** The human user. */
  | "user"
  /** The language model. */
  | "assistant";

/** One message of a prompt. */
export interface PromptMessage {
  /** Who says it. */
  role: Role;
  /** What is said, as a single block of content. */
  content: TextContent | ImageContent | EmbeddedResource;
}

/** The contents of a resource, as part of a prompt or of a tool's result. */
export interface EmbeddedResource extends Annotated {
  /** The kind of content, by which its shape is known. */
  type: "resource";
  /** The contents. */
  resource: TextResourceContents | BlobResourceContents;
}

/** Tells the client that the list of prompts has changed. The client need not have asked for it. */
export interface PromptListChangedNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/prompts/list_changed";
}

/** Asks for the tools that the server offers. */
export interface ListToolsRequest extends PaginatedRequest {
  /** The method that this request calls. */
  method: "tools/list";
}

/** One page of the tools that the server offers. */
export interface ListToolsResult extends PaginatedResult {
  /** The tools on this page. */
  tools: Tool[];
}

/**
 * What a tool gives back. A tool that fails says so here, where the model can read it, rather than
 * by an error of the protocol.
 */
export interface CallToolResult extends Result {
  /** What the tool gives back, for the model to read. It may be empty. */
  content: (TextContent | ImageContent | EmbeddedResource)[];
  /** Whether the tool failed. Absent means that it succeeded. */
  isError?: boolean;
}

/** Calls a tool. */
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

/** Tells the client that the list of tools has changed. The client need not have asked for it. */
export interface ToolListChangedNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/tools/list_changed";
}

/** A function of the server that a model can call. */
export interface Tool {
  /** The name by which the tool is called. */
  name: string;
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
}

/** Tells the server which log messages to send from now on. Until then the server decides. */
export interface SetLevelRequest extends Request {
  /** The method that this request calls. */
  method: "logging/setLevel";
  /** The parameters of the request. */
  params: {
    /** The least severe level to send. Messages of this level and above it are sent. */
    level: LoggingLevel;
  };
}

/** One log message of the server. */
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

/** How severe a logged event is, from debug, the least, to emergency, the most, as in RFC 5424. */
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

/** The message that a language model wrote for the server, as far as the client passes it on. */
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

/** One message of a conversation with a language model. */
export interface SamplingMessage {
  /** Who says it. */
  role: Role;
  /** What is said, as a single block of content. */
  content: TextContent | ImageContent;
}

/** The member of things that can have annotations. */
export interface Annotated {
  /** Hints for the client on how to use or show this. */
  annotations?: {
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
  };
}

/** Text, for a model or a person. */
export interface TextContent extends Annotated {
  /** The kind of content, by which its shape is known. */
  type: "text";
  /** The text. */
  text: string;
}

/** An image, for a model or a person. */
export interface ImageContent extends Annotated {
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
}

/**
 * What a server looks for in a model. The weights say how the qualities compare; the client
 * balances them, and need not follow them.
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

/** A hint at the model to use. */
export interface ModelHint {
  /**
   * A part of the name of a model or of a family of models. The client may take a comparable model
   * of another maker.
   */
  name?: string;
}

/** Asks for values that could complete what the user is typing for an argument. */
export interface CompleteRequest extends Request {
  /** The method that this request calls. */
  method: "completion/complete";
  /** The parameters of the request. */
  params: {
    /** The prompt or the resource template that the argument belongs to. */
    ref: PromptReference | ResourceReference;
    /** The argument that the user is typing. */
    argument: {
      /** The name of the argument, or of the variable in the template. */
      name: string;
      /** What has been typed so far. */
      value: string;
    };
  };
}

/** Suggestions for the value of an argument. */
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

/** Names a resource or a resource template. */
export interface ResourceReference {
  /** The kind of thing that is named. */
  type: "ref/resource";
  /**
   * The URI of the resource, or the template.
   *
   * @format uri-template
   */
  uri: string;
}

/** Names a prompt. */
export interface PromptReference {
  /** The kind of thing that is named. */
  type: "ref/prompt";
  /** The name of the prompt. */
  name: string;
}

/** Asks the client for its roots: the files and directories that the server may work on. */
export interface ListRootsRequest extends Request {
  /** The method that this request calls. */
  method: "roots/list";
}

/** The roots of the client. */
export interface ListRootsResult extends Result {
  /** The roots. There may be none. */
  roots: Root[];
}

/** A file or directory that the server may work on. */
export interface Root {
  /**
   * The URI of the file or directory. It begins with `file://`.
   *
   * @format uri
   */
  uri: string;
  /** A name to show for the root. */
  name?: string;
}

/**
 * Tells the server that the client's list of roots has changed. The server should ask for it again.
 */
export interface RootsListChangedNotification extends Notification {
  /** The method that this notification carries. */
  method: "notifications/roots/list_changed";
}

/** The requests that a client may send. */
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

/** The notifications that a client may send. */
export type ClientNotification =
  | CancelledNotification
  | ProgressNotification
  | InitializedNotification
  | RootsListChangedNotification;

/** The results that a client may send. */
export type ClientResult = EmptyResult | CreateMessageResult | ListRootsResult;

/** The requests that a server may send. */
export type ServerRequest = PingRequest | CreateMessageRequest | ListRootsRequest;

/** The notifications that a server may send. */
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ResourceUpdatedNotification
  | ResourceListChangedNotification
  | ToolListChangedNotification
  | PromptListChangedNotification;

/** The results that a server may send. */
export type ServerResult =
  | EmptyResult
  | InitializeResult
  | CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourcesResult
  | ListResourceTemplatesResult
  | ReadResourceResult
  | CallToolResult
  | ListToolsResult;
