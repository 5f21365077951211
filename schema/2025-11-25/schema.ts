// Model Context Protocol, revision 2025-11-25.
//
// The declarations follow the official schema of this revision: every name, member, type and
// tag, in its order. The comments are this project's own.

/**
 * Any one message on the wire: a request, a notification or a response.
 *
 * @category JSON-RPC
 */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse;

/**
 * The date that names this revision in messages.
 *
 * @internal
 */
export const LATEST_PROTOCOL_VERSION = "2025-11-25";

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
 * The parameters of requests that can run as tasks.
 *
 * @internal
 */
export interface TaskAugmentedRequestParams extends RequestParams {
  /**
   * Asks the receiver to run the request as a task and to answer at once with a
   * {@link CreateTaskResult}. Receivers that did not declare this ignore it.
   */
  task?: TaskMetadata;
}

/**
 * The parameters that every request may have.
 *
 * @internal
 */
export interface RequestParams {
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
}

/**
 * The members that all requests share, without those of JSON-RPC.
 *
 * @internal
 */
export interface Request {
  /** The method to call. */
  method: string;
  /** The parameters of the call, in the shape that the method defines. */
  params?: { [key: string]: any };
}

/**
 * The parameters that every notification may have.
 *
 * @internal
 */
export interface NotificationParams {
  /** Metadata of the notification, apart from the parameters of its method. */
  _meta?: { [key: string]: unknown };
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
  params?: { [key: string]: any };
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
 * The error of a request that failed.
 *
 * @category Common Types
 */
export interface Error {
  /** The kind of error. Codes from -32768 to -32000 belong to JSON-RPC and the protocol. */
  code: number;
  /** What went wrong, in one short sentence. */
  message: string;
  /** Details in the shape that the sender defines for the code. */
  data?: unknown;
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
export interface JSONRPCResultResponse {
  /** The version of JSON-RPC. */
  jsonrpc: typeof JSONRPC_VERSION;
  /** The id of the request, as a string or a number just as it was sent. */
  id: RequestId;
  /** What the method returns. */
  result: Result;
}

/**
 * The response to a request that failed.
 *
 * @category JSON-RPC
 */
export interface JSONRPCErrorResponse {
  /** The version of JSON-RPC. */
  jsonrpc: typeof JSONRPC_VERSION;
  /** The id of the request. Absent only when the request was too broken to tell. */
  id?: RequestId;
  /** What went wrong. */
  error: Error;
}

/**
 * The response to a request, with either a result or an error.
 *
 * @category JSON-RPC
 */
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;

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
 * The code for a request that needs the user to visit a URL first.
 *
 * @internal
 */
export const URL_ELICITATION_REQUIRED = -32042;

/**
 * The response to a request that cannot go on before the user has visited one or more URLs. The
 * client may send the request again after that.
 *
 * @internal
 */
export interface URLElicitationRequiredError extends Omit<JSONRPCErrorResponse, "error"> {
  /** The error, with its own code and details. */
  error: Error & {
    /** The code that identifies this error. */
    code: typeof URL_ELICITATION_REQUIRED;
    /** The visits that are needed. */
    data: {
      /** The elicitations to carry out, all of them in URL mode. */
      elicitations: ElicitRequestURLParams[];
      /** Further details of the sender. */
      [key: string]: unknown;
    };
  };
}

/**
 * A result that says no more than that the request succeeded.
 *
 * @category Common Types
 */
export type EmptyResult = Result;

/**
 * The parameters of `notifications/cancelled`.
 *
 * @category `notifications/cancelled`
 */
export interface CancelledNotificationParams extends NotificationParams {
  /**
   * The request to cancel. It must be one that the sender of this notification sent, and must be
   * given for every request that is not a task; tasks are cancelled by `tasks/cancel`.
   */
  requestId?: RequestId;
  /** Why the request was cancelled, for logs and for people. */
  reason?: string;
}

/**
 * Tells the receiver that the result of a request is no longer wanted. Either side may send it
 * about its own requests, except that `initialize` cannot be cancelled. It may arrive too late.
 *
 * @category `notifications/cancelled`
 */
export interface CancelledNotification extends JSONRPCNotification {
  /** The method that this notification carries. */
  method: "notifications/cancelled";
  /** The parameters of the notification. */
  params: CancelledNotificationParams;
}

/**
 * The parameters of `initialize`.
 *
 * @category `initialize`
 */
export interface InitializeRequestParams extends RequestParams {
  /**
   * A revision that the client speaks, preferably its newest. The server may answer with another.
   */
  protocolVersion: string;
  /** What the client can do for the server. */
  capabilities: ClientCapabilities;
  /** The name and version of the client. */
  clientInfo: Implementation;
}

/**
 * Opens a session. It is the first message from the client, and the server's answer settles the
 * protocol version and the capabilities of both sides.
 *
 * @category `initialize`
 */
export interface InitializeRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "initialize";
  /** The parameters of the request. */
  params: InitializeRequestParams;
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
export interface InitializedNotification extends JSONRPCNotification {
  /** The method that this notification carries. */
  method: "notifications/initialized";
  /** The parameters of the notification. */
  params?: NotificationParams;
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
  sampling?: {
    /** Present if requests may ask for context from MCP servers to be included. */
    context?: object;
    /** Present if requests may give the model tools to choose from. */
    tools?: object;
  };
  /**
   * Present if the client can ask the user for information on the server's behalf. An empty object
   * means that it can do so by form only.
   */
  elicitation?: {
    /** Present if the client can show forms. */
    form?: object;
    /** Present if the client can send the user to a URL. */
    url?: object;
  };
  /** Present if the client can run requests of the server as tasks. */
  tasks?: {
    /** Present if `tasks/list` is supported. */
    list?: object;
    /** Present if `tasks/cancel` is supported. */
    cancel?: object;
    /** The requests that can run as tasks. A request that is not named cannot. */
    requests?: {
      /** The sampling requests that can run as tasks. */
      sampling?: {
        /** Present if `sampling/createMessage` can run as a task. */
        createMessage?: object;
      };
      /** The elicitation requests that can run as tasks. */
      elicitation?: {
        /** Present if `elicitation/create` can run as a task. */
        create?: object;
      };
    };
  };
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
  /** Present if the server can run requests of the client as tasks. */
  tasks?: {
    /** Present if `tasks/list` is supported. */
    list?: object;
    /** Present if `tasks/cancel` is supported. */
    cancel?: object;
    /** The requests that can run as tasks. A request that is not named cannot. */
    requests?: {
      /** The tool requests that can run as tasks. */
      tools?: {
        /** Present if `tools/call` can run as a task, as far as the single tool allows it. */
        call?: object;
      };
    };
  };
}

/**
 * An image to show beside a name.
 *
 * @category Common Types
 */
export interface Icon {
  /**
   * Where the image is: a web URL, or a data URI that holds the image itself. Clients must refuse
   * unsafe schemes and treat the image as untrusted.
   *
   * @format uri
   */
  src: string;
  /** The media type of the image, in case the source does not tell it or tells it wrong. */
  mimeType?: string;
  /**
   * The sizes for which the image is good: pixels such as `48x48`, or `any` for one that scales.
   * Absent means any size.
   */
  sizes?: string[];
  /** The kind of background that the image is drawn for. Absent means either. */
  theme?:
    /** A light background. */
    | "light"
    /** A dark background. */
    | "dark";
}

/**
 * The member of things that can have icons.
 *
 * @internal
 */
export interface Icons {
  /** Images to choose from by size, format and theme. */
  icons?: Icon[];
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
export interface Implementation extends BaseMetadata, Icons {
  /** The version of the program, in its own format. */
  version: string;
  /** What the program is for. */
  description?: string;
  /**
   * A web page about the program.
   *
   * @format uri
   */
  websiteUrl?: string;
}

/**
 * Asks the other side whether it is still there. Both sides must answer promptly with an empty
 * result, even before the handshake is over.
 *
 * @category `ping`
 */
export interface PingRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "ping";
  /** The parameters of the request. */
  params?: RequestParams;
}

/**
 * The parameters of `notifications/progress`.
 *
 * @category `notifications/progress`
 */
export interface ProgressNotificationParams extends NotificationParams {
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
}

/**
 * Tells how far a running request has come. Either side may send it about a request that it was
 * sent with a progress token, until the request is done.
 *
 * @category `notifications/progress`
 */
export interface ProgressNotification extends JSONRPCNotification {
  /** The method that this notification carries. */
  method: "notifications/progress";
  /** The parameters of the notification. */
  params: ProgressNotificationParams;
}

/**
 * The parameters of a request for one page of a list.
 *
 * @internal
 */
export interface PaginatedRequestParams extends RequestParams {
  /**
   * Where the page begins, from the answer that held the page before. Absent means the first page.
   */
  cursor?: Cursor;
}

/**
 * A request for one page of a list.
 *
 * @internal
 */
export interface PaginatedRequest extends JSONRPCRequest {
  /** The parameters of the request. Absent means the first page. */
  params?: PaginatedRequestParams;
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
 * The parameters of requests about one resource.
 *
 * @internal
 */
export interface ResourceRequestParams extends RequestParams {
  /**
   * The URI of the resource. What it means is up to the server.
   *
   * @format uri
   */
  uri: string;
}

/**
 * The parameters of `resources/read`.
 *
 * @category `resources/read`
 */
export interface ReadResourceRequestParams extends ResourceRequestParams {}

/**
 * Asks for the contents of a resource.
 *
 * @category `resources/read`
 */
export interface ReadResourceRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "resources/read";
  /** The parameters of the request. */
  params: ReadResourceRequestParams;
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
export interface ResourceListChangedNotification extends JSONRPCNotification {
  /** The method that this notification carries. */
  method: "notifications/resources/list_changed";
  /** The parameters of the notification. */
  params?: NotificationParams;
}

/**
 * The parameters of `resources/subscribe`.
 *
 * @category `resources/subscribe`
 */
export interface SubscribeRequestParams extends ResourceRequestParams {}

/**
 * Asks the server to report changes of a resource from now on, by
 * `notifications/resources/updated`.
 *
 * @category `resources/subscribe`
 */
export interface SubscribeRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "resources/subscribe";
  /** The parameters of the request. */
  params: SubscribeRequestParams;
}

/**
 * The parameters of `resources/unsubscribe`.
 *
 * @category `resources/unsubscribe`
 */
export interface UnsubscribeRequestParams extends ResourceRequestParams {}

/**
 * Asks the server to stop reporting changes of a resource that was subscribed to.
 *
 * @category `resources/unsubscribe`
 */
export interface UnsubscribeRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "resources/unsubscribe";
  /** The parameters of the request. */
  params: UnsubscribeRequestParams;
}

/**
 * The parameters of `notifications/resources/updated`.
 *
 * @category `notifications/resources/updated`
 */
export interface ResourceUpdatedNotificationParams extends NotificationParams {
  /**
   * The URI of the resource that changed. It may be a part of the one subscribed to.
   *
   * @format uri
   */
  uri: string;
}

/**
 * Tells the client that a resource which it subscribed to has changed and may be read again.
 *
 * @category `notifications/resources/updated`
 */
export interface ResourceUpdatedNotification extends JSONRPCNotification {
  /** The method that this notification carries. */
  method: "notifications/resources/updated";
  /** The parameters of the notification. */
  params: ResourceUpdatedNotificationParams;
}

/**
 * A thing that the server can let clients read, such as a file or a record.
 *
 * @category `resources/list`
 */
export interface Resource extends BaseMetadata, Icons {
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
export interface ResourceTemplate extends BaseMetadata, Icons {
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
 * The parameters of `prompts/get`.
 *
 * @category `prompts/get`
 */
export interface GetPromptRequestParams extends RequestParams {
  /** The name of the prompt. */
  name: string;
  /** The values of the prompt's arguments, by name. */
  arguments?: { [key: string]: string };
}

/**
 * Asks for the messages of a prompt.
 *
 * @category `prompts/get`
 */
export interface GetPromptRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "prompts/get";
  /** The parameters of the request. */
  params: GetPromptRequestParams;
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
export interface Prompt extends BaseMetadata, Icons {
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
export interface PromptListChangedNotification extends JSONRPCNotification {
  /** The method that this notification carries. */
  method: "notifications/prompts/list_changed";
  /** The parameters of the notification. */
  params?: NotificationParams;
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
 * The parameters of `tools/call`.
 *
 * @category `tools/call`
 */
export interface CallToolRequestParams extends TaskAugmentedRequestParams {
  /** The name of the tool. */
  name: string;
  /**
   * The values of the tool's arguments, by name, in the shape of its input schema. Absent means the
   * same as an empty object.
   */
  arguments?: { [key: string]: unknown };
}

/**
 * Calls a tool.
 *
 * @category `tools/call`
 */
export interface CallToolRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "tools/call";
  /** The parameters of the request. */
  params: CallToolRequestParams;
}

/**
 * Tells the client that the list of tools has changed. The client need not have asked for it.
 *
 * @category `notifications/tools/list_changed`
 */
export interface ToolListChangedNotification extends JSONRPCNotification {
  /** The method that this notification carries. */
  method: "notifications/tools/list_changed";
  /** The parameters of the notification. */
  params?: NotificationParams;
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
 * How a tool may be run.
 *
 * @category `tools/list`
 */
export interface ToolExecution {
  /** Whether calls of the tool may run as tasks. Absent means `forbidden`. */
  taskSupport?:
    /** Calls must not run as tasks. */
    | "forbidden"
    /** Calls may run as tasks. */
    | "optional"
    /** Calls must run as tasks. */
    | "required";
}

/**
 * A function of the server that a model can call.
 *
 * @category `tools/list`
 */
export interface Tool extends BaseMetadata, Icons {
  /** What the tool does, for the model to decide when to call it. */
  description?: string;
  /** The JSON Schema of the arguments, in the 2020-12 dialect unless it names another. */
  inputSchema: {
    /** The dialect of the schema. Absent means JSON Schema 2020-12. */
    $schema?: string;
    /** The type of the arguments as a whole. */
    type: "object";
    /** The schema of each argument, by name. */
    properties?: { [key: string]: object };
    /** The names of the arguments that must be given. */
    required?: string[];
  };
  /** How the tool may be run. */
  execution?: ToolExecution;
  /**
   * The JSON Schema of the structured content that the tool gives back, in the 2020-12 dialect
   * unless it names another. Absent when it promises none.
   */
  outputSchema?: {
    /** The dialect of the schema. Absent means JSON Schema 2020-12. */
    $schema?: string;
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
 * Where a task stands. Completed, failed and cancelled tasks never change again.
 *
 * @category `tasks`
 */
export type TaskStatus =
  /** The work is going on. Every task begins here. */
  | "working"
  /** The work waits for an answer to a request that the receiver has for the requester. */
  | "input_required"
  /** The work is done and its result can be fetched. */
  | "completed"
  /** The work ended in an error, or in a tool result that is one. */
  | "failed"
  /** The work was given up on request. */
  | "cancelled";

/**
 * How a request wants to be run as a task.
 *
 * @category `tasks`
 */
export interface TaskMetadata {
  /**
   * How long to keep the task, in milliseconds from its creation. The receiver may decide
   * otherwise.
   */
  ttl?: number;
}

/**
 * The task that a message belongs to. It stands in the message's metadata under the key
 * `io.modelcontextprotocol/related-task`.
 *
 * @category `tasks`
 */
export interface RelatedTaskMetadata {
  /** The id of the task. */
  taskId: string;
}

/**
 * The state of a request that runs as a task.
 *
 * @category `tasks`
 */
export interface Task {
  /** The id of the task, which its receiver chose. */
  taskId: string;
  /** Where the task stands. */
  status: TaskStatus;
  /** More about the status, for people: what is being done, or why it failed. */
  statusMessage?: string;
  /** When the task was created, as an ISO 8601 time. */
  createdAt: string;
  /** When the status last changed, as an ISO 8601 time. */
  lastUpdatedAt: string;
  /**
   * How long the task is kept, in milliseconds from its creation. Null means without limit.
   *
   * @nullable
   */
  ttl: number | null;
  /** How long to wait between two calls of `tasks/get`, in milliseconds. */
  pollInterval?: number;
}

/**
 * The answer to a request that runs as a task, in place of its result.
 *
 * @category `tasks`
 */
export interface CreateTaskResult extends Result {
  /** The new task. */
  task: Task;
}

/**
 * Asks how a task stands.
 *
 * @category `tasks/get`
 */
export interface GetTaskRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "tasks/get";
  /** The parameters of the request. */
  params: {
    /** The id of the task. */
    taskId: string;
  };
}

/**
 * How a task stands.
 *
 * @category `tasks/get`
 */
export type GetTaskResult = Result & Task;

/**
 * Asks for the result of a task. The answer comes when the task has ended.
 *
 * @category `tasks/result`
 */
export interface GetTaskPayloadRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "tasks/result";
  /** The parameters of the request. */
  params: {
    /** The id of the task. */
    taskId: string;
  };
}

/**
 * The result of a task: the very members that the request would have returned without a task, such
 * as those of a {@link CallToolResult}.
 *
 * @category `tasks/result`
 */
export interface GetTaskPayloadResult extends Result {
  /** The members of the result. */
  [key: string]: unknown;
}

/**
 * Asks the receiver to give up a task. A task that has ended cannot be cancelled.
 *
 * @category `tasks/cancel`
 */
export interface CancelTaskRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "tasks/cancel";
  /** The parameters of the request. */
  params: {
    /** The id of the task. */
    taskId: string;
  };
}

/**
 * The state of a task that was cancelled.
 *
 * @category `tasks/cancel`
 */
export type CancelTaskResult = Result & Task;

/**
 * Asks for the tasks that the caller may see.
 *
 * @category `tasks/list`
 */
export interface ListTasksRequest extends PaginatedRequest {
  /** The method that this request calls. */
  method: "tasks/list";
}

/**
 * One page of the caller's tasks.
 *
 * @category `tasks/list`
 */
export interface ListTasksResult extends PaginatedResult {
  /** The tasks on this page. */
  tasks: Task[];
}

/**
 * The parameters of `notifications/tasks/status`: the whole state of the task.
 *
 * @category `notifications/tasks/status`
 */
export type TaskStatusNotificationParams = NotificationParams & Task;

/**
 * Tells the requester that the status of a task has changed. It need not be sent, so requesters
 * must not wait for it.
 *
 * @category `notifications/tasks/status`
 */
export interface TaskStatusNotification extends JSONRPCNotification {
  /** The method that this notification carries. */
  method: "notifications/tasks/status";
  /** The parameters of the notification. */
  params: TaskStatusNotificationParams;
}

/**
 * The parameters of `logging/setLevel`.
 *
 * @category `logging/setLevel`
 */
export interface SetLevelRequestParams extends RequestParams {
  /** The least severe level to send. Messages of this level and above it are sent. */
  level: LoggingLevel;
}

/**
 * Tells the server which log messages to send from now on. Until then the server decides.
 *
 * @category `logging/setLevel`
 */
export interface SetLevelRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "logging/setLevel";
  /** The parameters of the request. */
  params: SetLevelRequestParams;
}

/**
 * The parameters of `notifications/message`.
 *
 * @category `notifications/message`
 */
export interface LoggingMessageNotificationParams extends NotificationParams {
  /** How severe the event is. */
  level: LoggingLevel;
  /** The name of the part of the server that logs. */
  logger?: string;
  /** What is logged: a text or any other JSON value. */
  data: unknown;
}

/**
 * One log message of the server.
 *
 * @category `notifications/message`
 */
export interface LoggingMessageNotification extends JSONRPCNotification {
  /** The method that this notification carries. */
  method: "notifications/message";
  /** The parameters of the notification. */
  params: LoggingMessageNotificationParams;
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
 * The parameters of `sampling/createMessage`.
 *
 * @category `sampling/createMessage`
 */
export interface CreateMessageRequestParams extends TaskAugmentedRequestParams {
  /** The conversation so far, which the model is to continue. */
  messages: SamplingMessage[];
  /** What to look for in a model. The client may choose otherwise. */
  modelPreferences?: ModelPreferences;
  /** The system prompt that the server would like. The client may change it or leave it out. */
  systemPrompt?: string;
  /**
   * Which context from MCP servers to add to the conversation; absent means none. The client may
   * decide otherwise. Servers should not ask for any unless the client declared `sampling.context`.
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
  /**
   * The tools that the model may ask to use. They need not be tools that the server offers to
   * clients. Allowed only if the client declared `sampling.tools`.
   */
  tools?: Tool[];
  /** How the model may use the tools. Allowed only if the client declared `sampling.tools`. */
  toolChoice?: ToolChoice;
}

/**
 * How a model may use the tools that it is given.
 *
 * @category `sampling/createMessage`
 */
export interface ToolChoice {
  /** Whether the model is to use tools. Absent means `auto`. */
  mode?:
    /** The model decides. */
    | "auto"
    /** The model must use at least one tool. */
    | "required"
    /** The model must not use any tool. */
    | "none";
}

/**
 * Asks the client to let a language model write a message. The client picks the model, and should
 * let the user see and approve both the request and the answer.
 *
 * @category `sampling/createMessage`
 */
export interface CreateMessageRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "sampling/createMessage";
  /** The parameters of the request. */
  params: CreateMessageRequestParams;
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
    /** The model wants tools to be used and their results given. */
    | "toolUse"
    | string;
}

/**
 * One message of a conversation with a language model. A message with tool uses is followed at once
 * by one that holds their results and nothing else.
 *
 * @category `sampling/createMessage`
 */
export interface SamplingMessage {
  /** Who says it. */
  role: Role;
  /** What is said, as one block of content or a list of them. */
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[];
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: { [key: string]: unknown };
}

/**
 * A piece of content in a conversation with a language model.
 *
 * @category `sampling/createMessage`
 */
export type SamplingMessageContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;

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
 * A model's wish that a tool be used.
 *
 * @category `sampling/createMessage`
 */
export interface ToolUseContent {
  /** The kind of content, by which its shape is known. */
  type: "tool_use";
  /** The id of this use, which its result will repeat. */
  id: string;
  /** The name of the tool. */
  name: string;
  /** The arguments for the tool, in the shape of its input schema. */
  input: { [key: string]: unknown };
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: { [key: string]: unknown };
}

/**
 * What came of a use of a tool that a model wished for.
 *
 * @category `sampling/createMessage`
 */
export interface ToolResultContent {
  /** The kind of content, by which its shape is known. */
  type: "tool_result";
  /** The id of the use that this is the result of. */
  toolUseId: string;
  /** What the tool gave back, for the model to read. */
  content: ContentBlock[];
  /** What the tool gave back, as an object that fits the tool's output schema. */
  structuredContent?: { [key: string]: unknown };
  /**
   * Whether the tool failed. Absent means that it succeeded.
   *
   * @default false
   */
  isError?: boolean;
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
 * The parameters of `completion/complete`.
 *
 * @category `completion/complete`
 */
export interface CompleteRequestParams extends RequestParams {
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
}

/**
 * Asks for values that could complete what the user is typing for an argument.
 *
 * @category `completion/complete`
 */
export interface CompleteRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "completion/complete";
  /** The parameters of the request. */
  params: CompleteRequestParams;
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
export interface ListRootsRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "roots/list";
  /** The parameters of the request. */
  params?: RequestParams;
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
export interface RootsListChangedNotification extends JSONRPCNotification {
  /** The method that this notification carries. */
  method: "notifications/roots/list_changed";
  /** The parameters of the notification. */
  params?: NotificationParams;
}

/**
 * The parameters of an elicitation by form. A form must not ask for secrets.
 *
 * @category `elicitation/create`
 */
export interface ElicitRequestFormParams extends TaskAugmentedRequestParams {
  /** The mode, which is form even when absent. */
  mode?: "form";
  /** What the user is asked for, and why. */
  message: string;
  /** The fields of the form, as a JSON Schema of a flat object. */
  requestedSchema: {
    /** The dialect of the schema. Absent means JSON Schema 2020-12. */
    $schema?: string;
    /** The type of the answer as a whole. */
    type: "object";
    /** The fields of the form, by name. */
    properties: { [key: string]: PrimitiveSchemaDefinition };
    /** The names of the fields that must be filled in. */
    required?: string[];
  };
}

/**
 * The parameters of an elicitation by URL: what the user does there stays between the user and that
 * site, so it is the way to ask for secrets.
 *
 * @category `elicitation/create`
 */
export interface ElicitRequestURLParams extends TaskAugmentedRequestParams {
  /** The mode of the elicitation. */
  mode: "url";
  /** Why the user should go there. */
  message: string;
  /**
   * The id of the elicitation, which the server chose. It comes back in
   * `notifications/elicitation/complete`.
   */
  elicitationId: string;
  /**
   * The address that the user should visit. Clients must show it in full and open it only with the
   * user's consent.
   *
   * @format uri
   */
  url: string;
}

/**
 * The parameters of `elicitation/create`. Without a mode they describe a form.
 *
 * @category `elicitation/create`
 */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/**
 * Asks the client to get information from the user, by a form or by a visit to a URL.
 *
 * @category `elicitation/create`
 */
export interface ElicitRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "elicitation/create";
  /** The parameters of the request. */
  params: ElicitRequestParams;
}

/**
 * The schema of one field of a form: a text, a number, a yes or no, or a choice of one or several.
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
  /** The text that the form starts with. */
  default?: string;
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
  /**
   * The number that the form starts with.
   *
   * @TJS-type number
   */
  default?: number;
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
 * A field for a choice of one from a list of values that are shown as they are.
 *
 * @category `elicitation/create`
 */
export interface UntitledSingleSelectEnumSchema {
  /** The type of the value that the field gives. */
  type: "string";
  /** The name of the field for people. */
  title?: string;
  /** What to fill in, for people. */
  description?: string;
  /** The values to choose from. */
  enum: string[];
  /** The value that is chosen when the form opens. */
  default?: string;
}

/**
 * A field for a choice of one from a list of values that are shown by their titles.
 *
 * @category `elicitation/create`
 */
export interface TitledSingleSelectEnumSchema {
  /** The type of the value that the field gives. */
  type: "string";
  /** The name of the field for people. */
  title?: string;
  /** What to fill in, for people. */
  description?: string;
  /** The options to choose from. */
  oneOf: Array<{
    /** The value that the option stands for. */
    const: string;
    /** The text to show for the option. */
    title: string;
  }>;
  /** The value that is chosen when the form opens. */
  default?: string;
}

/**
 * A field for a choice of one from a list.
 *
 * @category `elicitation/create`
 */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;

/**
 * A field for a choice of several from a list of values that are shown as they are.
 *
 * @category `elicitation/create`
 */
export interface UntitledMultiSelectEnumSchema {
  /** The type of the value that the field gives. */
  type: "array";
  /** The name of the field for people. */
  title?: string;
  /** What to fill in, for people. */
  description?: string;
  /** The fewest values that may be chosen. */
  minItems?: number;
  /** The most values that may be chosen. */
  maxItems?: number;
  /** What each chosen value may be. */
  items: {
    /** The type of each value. */
    type: "string";
    /** The values to choose from. */
    enum: string[];
  };
  /** The values that are chosen when the form opens. */
  default?: string[];
}

/**
 * A field for a choice of several from a list of values that are shown by their titles.
 *
 * @category `elicitation/create`
 */
export interface TitledMultiSelectEnumSchema {
  /** The type of the value that the field gives. */
  type: "array";
  /** The name of the field for people. */
  title?: string;
  /** What to fill in, for people. */
  description?: string;
  /** The fewest values that may be chosen. */
  minItems?: number;
  /** The most values that may be chosen. */
  maxItems?: number;
  /** What each chosen value may be. */
  items: {
    /** The options to choose from. */
    anyOf: Array<{
      /** The value that the option stands for. */
      const: string;
      /** The text to show for the option. */
      title: string;
    }>;
  };
  /** The values that are chosen when the form opens. */
  default?: string[];
}

/**
 * A field for a choice of several from a list.
 *
 * @category `elicitation/create`
 */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;

/**
 * A field for a choice of one from a list of values, with titles that JSON Schema does not define.
 * New servers should use a {@link TitledSingleSelectEnumSchema}.
 *
 * @category `elicitation/create`
 */
export interface LegacyTitledEnumSchema {
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
  /** The value that is chosen when the form opens. */
  default?: string;
}

/**
 * A field for a choice of one or several from a list.
 *
 * @category `elicitation/create`
 */
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;

/**
 * What the user did with the form or the URL.
 *
 * @category `elicitation/create`
 */
export interface ElicitResult extends Result {
  /** What the user decided. */
  action:
    /**
     * The user filled in the form, or agreed to visit the URL, which does not mean that all is done
     * there.
     */
    | "accept"
    /** The user refused. */
    | "decline"
    /** The user went away without a decision. */
    | "cancel";
  /**
   * What the user filled in, by the name of the field. Present only when the user accepted a form.
   */
  content?: { [key: string]: string | number | boolean | string[] };
}

/**
 * Tells the client that an elicitation by URL is done, so that it may try again what had to wait
 * for it. Unknown ids are to be ignored.
 *
 * @category `notifications/elicitation/complete`
 */
export interface ElicitationCompleteNotification extends JSONRPCNotification {
  /** The method that this notification carries. */
  method: "notifications/elicitation/complete";
  /** The parameters of the notification. */
  params: {
    /** The id of the elicitation. */
    elicitationId: string;
  };
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
  | ListToolsRequest
  | GetTaskRequest
  | GetTaskPayloadRequest
  | ListTasksRequest
  | CancelTaskRequest;

/**
 * The notifications that a client may send.
 *
 * @internal
 */
export type ClientNotification =
  | CancelledNotification
  | ProgressNotification
  | InitializedNotification
  | RootsListChangedNotification
  | TaskStatusNotification;

/**
 * The results that a client may send.
 *
 * @internal
 */
export type ClientResult =
  | EmptyResult
  | CreateMessageResult
  | ListRootsResult
  | ElicitResult
  | GetTaskResult
  | GetTaskPayloadResult
  | ListTasksResult
  | CancelTaskResult;

/**
 * The requests that a server may send.
 *
 * @internal
 */
export type ServerRequest =
  | PingRequest
  | CreateMessageRequest
  | ListRootsRequest
  | ElicitRequest
  | GetTaskRequest
  | GetTaskPayloadRequest
  | ListTasksRequest
  | CancelTaskRequest;

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
  | PromptListChangedNotification
  | ElicitationCompleteNotification
  | TaskStatusNotification;

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
  | ListToolsResult
  | GetTaskResult
  | GetTaskPayloadResult
  | ListTasksResult
  | CancelTaskResult;
