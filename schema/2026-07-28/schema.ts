// Model Context Protocol, revision 2026-07-28.
//
// The declarations follow the official schema of this revision: every name, member, type and
// tag, in its order. The comments are this project's own.

/**
 * Any JSON value.
 *
 * @category Common Types
 */
export type JSONValue = string | number | boolean | null | JSONObject | JSONArray;

/**
 * Any JSON object.
 *
 * @category Common Types
 */
export type JSONObject = { [key: string]: JSONValue };

/**
 * Any JSON array.
 *
 * @category Common Types
 */
export type JSONArray = JSONValue[];

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
export const LATEST_PROTOCOL_VERSION = "2026-07-28";

/**
 * The version of JSON-RPC that every message states.
 *
 * @internal
 */
export const JSONRPC_VERSION = "2.0";

/**
 * Metadata beside the content proper, by key. A key may begin with a prefix such as `com.example/`;
 * prefixes whose second label is `modelcontextprotocol` or `mcp` are reserved for the protocol.
 *
 * @category Common Types
 */
export type MetaObject = Record<string, unknown>;

/**
 * The metadata of a request: what a server must know to process it without any memory of earlier
 * requests.
 *
 * @category Common Types
 */
export interface RequestMetaObject extends MetaObject {
  /**
   * A token that asks for progress notifications about this request. The receiver may send any
   * number of them, or none; without a token it sends none.
   */
  progressToken?: ProgressToken;
  /**
   * The revision of the protocol that this request follows. Over HTTP the MCP-Protocol-Version
   * header must say the same.
   */
  "io.modelcontextprotocol/protocolVersion": string;
  /**
   * The name and version of the client, for display and logs. Clients report it themselves, so it
   * should not decide behaviour or access.
   */
  "io.modelcontextprotocol/clientInfo"?: Implementation;
  /**
   * What the client can do for the server during this request. What is not named here must not be
   * used, even if an earlier request named it.
   */
  "io.modelcontextprotocol/clientCapabilities": ClientCapabilities;
  /**
   * The least severe level of log messages wanted about this request. Without it the server sends
   * none.
   *
   * @deprecated Servers should log to standard error or through OpenTelemetry.
   * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
   */
  "io.modelcontextprotocol/logLevel"?: LoggingLevel;
}

/**
 * The metadata of a notification.
 *
 * @category Common Types
 */
export interface NotificationMetaObject extends MetaObject {
  /**
   * The id of the `subscriptions/listen` request to which this notification belongs. Absent on
   * notifications that belong to no subscription.
   */
  "io.modelcontextprotocol/subscriptionId"?: RequestId;
}

/**
 * The metadata of a result.
 *
 * @category Common Types
 */
export interface ResultMetaObject extends MetaObject {
  /**
   * The name and version of the server, for display and logs. Servers report it themselves, so it
   * should not decide behaviour or access.
   */
  "io.modelcontextprotocol/serverInfo"?: Implementation;
}

/**
 * A value that ties progress notifications to the request that asked for them. The requester
 * chooses it, unique among its running requests; a number is an integer.
 *
 * @category Common Types
 */
export type ProgressToken = string | number;

/**
 * An opaque position in a list that is sent in pages. Only the server that made it can read it; the
 * empty string is a position like any other.
 *
 * @category Common Types
 */
export type Cursor = string;

/**
 * The parameters that every request has. Methods without parameters of their own use it as it is.
 *
 * @category Common Types
 */
export interface RequestParams {
  /**
   * Metadata of the request. It names the revision and the client's capabilities, so it is never
   * absent.
   */
  _meta: RequestMetaObject;
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
 * @category Common Types
 */
export interface NotificationParams {
  /** Metadata of the notification, apart from the parameters of its method. */
  _meta?: NotificationMetaObject;
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
 * What kind of result a result is. Extensions define further values; a value that the client does
 * not know makes the response invalid.
 *
 * @category Common Types
 */
export type ResultType =
  /** The request is done, and the result has what was asked for. */
  | "complete"
  /** The server needs input first: the result is an {@link InputRequiredResult}. */
  | "input_required"
  | string;

/**
 * The members that all results share. Receivers must tolerate members that they do not know.
 *
 * @category Common Types
 */
export interface Result {
  /** Metadata of the result, apart from what the method returns. */
  _meta?: ResultMetaObject;
  /**
   * What kind of result this is. Servers of older revisions leave it out, which means `complete`.
   */
  resultType: ResultType;
  /** The members of the method's own result. */
  [key: string]: unknown;
}

/**
 * The error of a request that failed.
 *
 * @category Errors
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
 * The identity of a request, chosen by its sender and unique among its unanswered requests; a
 * number is an integer. The id 1 and the id "1" are two different ids.
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

/**
 * The code for parameters that do not fit the method, such as an unknown tool, prompt or resource,
 * a bad cursor, or missing metadata.
 */
export const INVALID_PARAMS = -32602;

/** The code for a failure inside the receiver. */
export const INTERNAL_ERROR = -32603;

/**
 * The error for a message that is not valid JSON.
 *
 * @category Errors
 */
export interface ParseError extends Error {
  /** The code that identifies this error. */
  code: typeof PARSE_ERROR;
}

/**
 * The error for JSON that is not a valid request.
 *
 * @category Errors
 */
export interface InvalidRequestError extends Error {
  /** The code that identifies this error. */
  code: typeof INVALID_REQUEST;
}

/**
 * The error for a method that the receiver does not know or does not offer.
 *
 * @category Errors
 */
export interface MethodNotFoundError extends Error {
  /** The code that identifies this error. */
  code: typeof METHOD_NOT_FOUND;
}

/**
 * The error for parameters that do not fit the method.
 *
 * @category Errors
 */
export interface InvalidParamsError extends Error {
  /** The code that identifies this error. */
  code: typeof INVALID_PARAMS;
}

/**
 * The error for a failure inside the receiver.
 *
 * @category Errors
 */
export interface InternalError extends Error {
  /** The code that identifies this error. */
  code: typeof INTERNAL_ERROR;
}

/**
 * The code for an HTTP header that is missing, malformed, or at odds with the body.
 *
 * @category Errors
 */
export const HEADER_MISMATCH = -32020;

/**
 * The code for a request that needs a capability which the client did not declare with it.
 *
 * @category Errors
 */
export const MISSING_REQUIRED_CLIENT_CAPABILITY = -32021;

/**
 * The code for a request in a revision that the server does not speak.
 *
 * @category Errors
 */
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/**
 * The response to an HTTP request whose headers are missing, malformed, or at odds with its body.
 * Its HTTP status is 400.
 *
 * @category Errors
 */
export interface HeaderMismatchError extends Omit<JSONRPCErrorResponse, "error"> {
  /** The error, with its own code and details. */
  error: Error & {
    /** The code that identifies this error. */
    code: typeof HEADER_MISMATCH;
  };
}

/**
 * The response to a request in a revision that the server does not speak. The client may retry in
 * one that the server lists. Its HTTP status is 400.
 *
 * @category Errors
 */
export interface UnsupportedProtocolVersionError extends Omit<JSONRPCErrorResponse, "error"> {
  /** The error, with its own code and details. */
  error: Error & {
    /** The code that identifies this error. */
    code: typeof UNSUPPORTED_PROTOCOL_VERSION;
    /** The versions on both sides. */
    data: {
      /** The revisions that the server speaks. */
      supported: string[];
      /** The revision that the request named. */
      requested: string;
    };
  };
}

/**
 * The response to a request that the server cannot serve without a capability which the client did
 * not declare with it. Its HTTP status is 400.
 *
 * @category Errors
 */
export interface MissingRequiredClientCapabilityError extends Omit<JSONRPCErrorResponse, "error"> {
  /** The error, with its own code and details. */
  error: Error & {
    /** The code that identifies this error. */
    code: typeof MISSING_REQUIRED_CLIENT_CAPABILITY;
    /** What the client would have to declare. */
    data: {
      /** The capabilities that are missing, and only those. */
      requiredCapabilities: ClientCapabilities;
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
 * Something that a server asks of the client in the middle of a request.
 *
 * @internal
 */
export type InputRequest = CreateMessageRequest | ListRootsRequest | ElicitRequest;

/**
 * What a client gives for an {@link InputRequest}. Its type follows from the request that has the
 * same key, and it carries no result type of its own.
 *
 * @internal
 */
export type InputResponse = CreateMessageResult | ListRootsResult | ElicitResult;

/**
 * What a server asks for in one {@link InputRequiredResult}, by keys that it chooses.
 *
 * @category Multi Round-Trip
 */
export interface InputRequests {
  /** One thing asked for. Its kind must be among the capabilities that the client declared. */
  [key: string]: InputRequest;
}

/**
 * What the client gives for {@link InputRequests}, under the same keys.
 *
 * @category Multi Round-Trip
 */
export interface InputResponses {
  /** The answer to the request of the same key. */
  [key: string]: InputResponse;
}

/**
 * A result that asks for input instead of giving an answer. The client gathers the input and sends
 * the original request again with a new id, with the input and the state. At least one of the two
 * members is present. Only `tools/call`, `prompts/get` and `resources/read` may return it.
 *
 * @category Multi Round-Trip
 */
export interface InputRequiredResult extends Result {
  /** What the server needs from the client. When it is absent the client may retry at once. */
  inputRequests?: InputRequests;
  /**
   * State that the client must send back unchanged and unread with its retry. Servers must treat
   * what comes back as untrusted.
   */
  requestState?: string;
}

/** The parameters of requests that may have to be sent again with input from the client. */
export interface InputResponseRequestParams extends RequestParams {
  /**
   * What the server asked for in its last answer, by the same keys. Absent on the first attempt.
   */
  inputResponses?: InputResponses;
  /**
   * The state from the server's last answer, byte for byte. Absent on the first attempt, and when
   * that answer had none.
   */
  requestState?: string;
}

/**
 * The parameters of `notifications/cancelled`.
 *
 * @category `notifications/cancelled`
 */
export interface CancelledNotificationParams extends NotificationParams {
  /** The request to end. It must be one that the client sent. */
  requestId: RequestId;
  /** Why the request was cancelled, for logs and for people. */
  reason?: string;
}

/**
 * Ends a request early. Clients send it over stdio, since over HTTP they close the response stream
 * instead; servers send it only to end a `subscriptions/listen` request.
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
 * Asks a server which revisions it speaks and what it offers. Clients may call it at any time;
 * every server must answer it.
 *
 * @category `server/discover`
 */
export interface DiscoverRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "server/discover";
  /** The parameters of the request. */
  params: RequestParams;
}

/**
 * What a server speaks and offers.
 *
 * @category `server/discover`
 */
export interface DiscoverResult extends CacheableResult {
  /** The revisions of the protocol that the server speaks. */
  supportedVersions: string[];
  /** What the server offers. */
  capabilities: ServerCapabilities;
  /** Advice on using the server well, meant for the model that will work with it. */
  instructions?: string;
}

/**
 * The response to `server/discover`.
 *
 * @category `server/discover`
 */
export interface DiscoverResultResponse extends JSONRPCResultResponse {
  /** What the method returns. */
  result: DiscoverResult;
}

/**
 * What a client can do for a server while it processes a request. A feature that is absent must not
 * be used; an empty object means that it is there. The set is open.
 *
 * @category `server/discover`
 */
export interface ClientCapabilities {
  /** Features outside the protocol, by name, each with settings of its own. */
  experimental?: { [key: string]: JSONObject };
  /**
   * Present if the client can list its roots.
   *
   * @deprecated Pass files and directories as tool arguments or in the server's configuration.
   * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
   */
  roots?: {};
  /**
   * Present if the client can sample a language model for the server.
   *
   * @deprecated Servers should call a model provider themselves.
   * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
   */
  sampling?: {
    /** Present if requests may ask for context from MCP servers to be included. */
    context?: JSONObject;
    /** Present if requests may give the model tools to choose from. */
    tools?: JSONObject;
  };
  /**
   * Present if the client can ask the user for information on the server's behalf. An empty object
   * means that it can do so by form only.
   */
  elicitation?: {
    /** Present if the client can show forms. */
    form?: JSONObject;
    /** Present if the client can send the user to a URL. */
    url?: JSONObject;
  };
  /**
   * The extensions that are supported, by identifier, each with its settings. An empty object means
   * that there are none to give.
   */
  extensions?: { [key: string]: JSONObject };
}

/**
 * What a server offers. A feature that is absent must not be used; an empty object means that it is
 * there. The set is open.
 *
 * @category `server/discover`
 */
export interface ServerCapabilities {
  /** Features outside the protocol, by name, each with settings of its own. */
  experimental?: { [key: string]: JSONObject };
  /**
   * Present if the server can send log messages.
   *
   * @deprecated Servers should log to standard error or through OpenTelemetry.
   * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
   */
  logging?: JSONObject;
  /** Present if the server can complete arguments. */
  completions?: JSONObject;
  /** Present if the server offers prompts. */
  prompts?: {
    /** Whether clients can subscribe to changes of the list of prompts. */
    listChanged?: boolean;
  };
  /** Present if the server offers resources. */
  resources?: {
    /** Whether clients can subscribe to updates of single resources. */
    subscribe?: boolean;
    /** Whether clients can subscribe to changes of the list of resources. */
    listChanged?: boolean;
  };
  /** Present if the server offers tools. */
  tools?: {
    /** Whether clients can subscribe to changes of the list of tools. */
    listChanged?: boolean;
  };
  /**
   * The extensions that are supported, by identifier, each with its settings. An empty object means
   * that there are none to give.
   */
  extensions?: { [key: string]: JSONObject };
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
 * @category `server/discover`
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
 * Tells how far a running request has come. The server sends it about a request that came with a
 * progress token, until the request is done.
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
 * @category Common Types
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
  /** The parameters of the request. */
  params: PaginatedRequestParams;
}

/**
 * One page of a list.
 *
 * @internal
 */
export interface PaginatedResult extends Result {
  /**
   * Where the next page begins. Absent on the last page, and only there: an empty string is a
   * cursor.
   */
  nextCursor?: Cursor;
}

/**
 * A result that clients may keep and use again for the same request.
 *
 * @internal
 */
export interface CacheableResult extends Result {
  /**
   * How long the result stays fresh, in milliseconds from its arrival. 0 means that it is stale at
   * once. It is no polling interval.
   *
   * @minimum 0
   */
  ttlMs: number;
  /** Who may share the cached result. It is no access control. */
  cacheScope:
    /** Any cache may keep the result and give it to anyone. */
    | "public"
    /** Only caches of the same authorization may keep it. */
    | "private";
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
export interface ListResourcesResult extends PaginatedResult, CacheableResult {
  /** The resources on this page. */
  resources: Resource[];
}

/**
 * The response to `resources/list`.
 *
 * @category `resources/list`
 */
export interface ListResourcesResultResponse extends JSONRPCResultResponse {
  /** What the method returns. */
  result: ListResourcesResult;
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
export interface ListResourceTemplatesResult extends PaginatedResult, CacheableResult {
  /** The templates on this page. */
  resourceTemplates: ResourceTemplate[];
}

/**
 * The response to `resources/templates/list`.
 *
 * @category `resources/templates/list`
 */
export interface ListResourceTemplatesResultResponse extends JSONRPCResultResponse {
  /** What the method returns. */
  result: ListResourceTemplatesResult;
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
export interface ReadResourceRequestParams
  extends ResourceRequestParams, InputResponseRequestParams {}

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
export interface ReadResourceResult extends CacheableResult {
  /**
   * The parts of the resource, each with a URI of its own: one as a rule, several for something
   * like a directory. A resource that does not exist is an error, not an empty list.
   */
  contents: (TextResourceContents | BlobResourceContents)[];
}

/**
 * The response to `resources/read`.
 *
 * @category `resources/read`
 */
export interface ReadResourceResultResponse extends JSONRPCResultResponse {
  /** The contents, or a request for input. */
  result: ReadResourceResult | InputRequiredResult;
}

/**
 * Tells the client that the list of resources has changed. It is sent to clients that subscribed to
 * it.
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
 * The notifications that a subscription is about. A kind that is not asked for is not sent;
 * extensions add kinds of their own.
 *
 * @category `subscriptions/listen`
 */
export interface SubscriptionFilter {
  /** Whether to send `notifications/tools/list_changed`. */
  toolsListChanged?: boolean;
  /** Whether to send `notifications/prompts/list_changed`. */
  promptsListChanged?: boolean;
  /** Whether to send `notifications/resources/list_changed`. */
  resourcesListChanged?: boolean;
  /** The URIs of the resources about which to send `notifications/resources/updated`. */
  resourceSubscriptions?: string[];
}

/**
 * The parameters of `subscriptions/listen`.
 *
 * @category `subscriptions/listen`
 */
export interface SubscriptionsListenRequestParams extends RequestParams {
  /** The notifications that the client wants. */
  notifications: SubscriptionFilter;
}

/**
 * Opens a subscription, which lasts until one side ends it. Its id identifies the subscription on
 * every notification.
 *
 * @category `subscriptions/listen`
 */
export interface SubscriptionsListenRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "subscriptions/listen";
  /** The parameters of the request. */
  params: SubscriptionsListenRequestParams;
}

/**
 * The metadata of a {@link SubscriptionsListenResult}.
 *
 * @category `subscriptions/listen`
 */
export interface SubscriptionsListenResultMetaObject extends ResultMetaObject {
  /** The id of the `subscriptions/listen` request that ends. */
  "io.modelcontextprotocol/subscriptionId": RequestId;
}

/**
 * The last message of a subscription that the server ends by itself.
 *
 * @category `subscriptions/listen`
 */
export interface SubscriptionsListenResult extends Result {
  /** Metadata of the result, with the id of the subscription. */
  _meta: SubscriptionsListenResultMetaObject;
}

/**
 * The response to `subscriptions/listen`.
 *
 * @category `subscriptions/listen`
 */
export interface SubscriptionsListenResultResponse extends JSONRPCResultResponse {
  /** What the method returns. */
  result: SubscriptionsListenResult;
}

/**
 * The parameters of `notifications/subscriptions/acknowledged`.
 *
 * @category `notifications/subscriptions/acknowledged`
 */
export interface SubscriptionsAcknowledgedNotificationParams extends NotificationParams {
  /**
   * The part of the client's wishes that the server will fulfil. What is missing here is not sent.
   */
  notifications: SubscriptionFilter;
}

/**
 * Confirms a subscription. It comes before every other message of the subscription.
 *
 * @category `notifications/subscriptions/acknowledged`
 */
export interface SubscriptionsAcknowledgedNotification extends JSONRPCNotification {
  /** The method that this notification carries. */
  method: "notifications/subscriptions/acknowledged";
  /** The parameters of the notification. */
  params: SubscriptionsAcknowledgedNotificationParams;
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
 * Tells the client that a resource which its subscription names has changed and may be read again.
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
  _meta?: MetaObject;
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
  _meta?: MetaObject;
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
  _meta?: MetaObject;
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
export interface ListPromptsResult extends PaginatedResult, CacheableResult {
  /** The prompts on this page. */
  prompts: Prompt[];
}

/**
 * The response to `prompts/list`.
 *
 * @category `prompts/list`
 */
export interface ListPromptsResultResponse extends JSONRPCResultResponse {
  /** What the method returns. */
  result: ListPromptsResult;
}

/**
 * The parameters of `prompts/get`.
 *
 * @category `prompts/get`
 */
export interface GetPromptRequestParams extends InputResponseRequestParams {
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
 * The response to `prompts/get`.
 *
 * @category `prompts/get`
 */
export interface GetPromptResultResponse extends JSONRPCResultResponse {
  /** The prompt, or a request for input. */
  result: GetPromptResult | InputRequiredResult;
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
  _meta?: MetaObject;
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
  _meta?: MetaObject;
}

/**
 * Tells the client that the list of prompts has changed. It is sent to clients that subscribed to
 * it.
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
export interface ListToolsResult extends PaginatedResult, CacheableResult {
  /** The tools on this page. */
  tools: Tool[];
}

/**
 * The response to `tools/list`.
 *
 * @category `tools/list`
 */
export interface ListToolsResultResponse extends JSONRPCResultResponse {
  /** What the method returns. */
  result: ListToolsResult;
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
   * What the tool gives back, as any JSON value that fits the tool's output schema. Null is a
   * value; absent means that there is none. The same should stand in the content as text.
   */
  structuredContent?: unknown;
  /** Whether the tool failed. Absent means that it succeeded. */
  isError?: boolean;
}

/**
 * The response to `tools/call`.
 *
 * @category `tools/call`
 */
export interface CallToolResultResponse extends JSONRPCResultResponse {
  /** What the tool gives back, or a request for input. */
  result: CallToolResult | InputRequiredResult;
}

/**
 * The parameters of `tools/call`.
 *
 * @category `tools/call`
 */
export interface CallToolRequestParams extends InputResponseRequestParams {
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
 * Tells the client that the list of tools has changed. It is sent to clients that subscribed to it.
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
 * A function of the server that a model can call.
 *
 * @category `tools/list`
 */
export interface Tool extends BaseMetadata, Icons {
  /** What the tool does, for the model to decide when to call it. */
  description?: string;
  /**
   * The JSON Schema of the arguments, in the 2020-12 dialect unless it names another. All keywords
   * of the dialect may be used.
   */
  inputSchema: {
    /** The dialect of the schema. Absent means JSON Schema 2020-12. */
    $schema?: string;
    /** The type of the arguments as a whole. */
    type: "object";
    /** The other keywords of the schema. */
    [key: string]: unknown;
  };
  /**
   * The JSON Schema of the structured content that the tool gives back, in the 2020-12 dialect
   * unless it names another. The content need not be an object. Absent when the tool promises none.
   */
  outputSchema?: {
    /** The dialect of the schema. Absent means JSON Schema 2020-12. */
    $schema?: string;
    /** The other keywords of the schema. */
    [key: string]: unknown;
  };
  /** Hints about what the tool does. */
  annotations?: ToolAnnotations;
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: MetaObject;
}

/**
 * The parameters of `notifications/message`.
 *
 * @deprecated Servers should log to standard error or through OpenTelemetry.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
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
 * One log message of the server, about a request that set a level for log messages.
 *
 * @deprecated Servers should log to standard error or through OpenTelemetry.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
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
 * @deprecated Servers should log to standard error or through OpenTelemetry.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
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
 * @deprecated Servers should call a model provider themselves.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
 * @category `sampling/createMessage`
 */
export interface CreateMessageRequestParams {
  /** The conversation so far, which the model is to continue. */
  messages: SamplingMessage[];
  /** What to look for in a model. The client may choose otherwise. */
  modelPreferences?: ModelPreferences;
  /** The system prompt that the server would like. The client may change it or leave it out. */
  systemPrompt?: string;
  /**
   * Which context from MCP servers to add to the conversation; absent means none. The client may
   * decide otherwise. Servers should not ask for any unless the client declared `sampling.context`.
   *
   * @deprecated Servers should put what the model must know into the messages.
   * SEP-2596 deprecates it; it goes with sampling.
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
  metadata?: JSONObject;
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
 * @deprecated Servers should call a model provider themselves.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
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
 * @deprecated Servers should call a model provider themselves.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
 * @category `sampling/createMessage`
 */
export interface CreateMessageRequest {
  /** The method that this request calls. */
  method: "sampling/createMessage";
  /** The parameters of the request. */
  params: CreateMessageRequestParams;
}

/**
 * The message that a language model wrote for the server, as far as the client passes it on.
 *
 * @deprecated Servers should call a model provider themselves.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
 * @category `sampling/createMessage`
 */
export interface CreateMessageResult extends SamplingMessage {
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
 * @deprecated Servers should call a model provider themselves.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
 * @category `sampling/createMessage`
 */
export interface SamplingMessage {
  /** Who says it. */
  role: Role;
  /** What is said, as one block of content or a list of them. */
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[];
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: MetaObject;
}

/**
 * A piece of content in a conversation with a language model.
 *
 * @deprecated Servers should call a model provider themselves.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
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
  _meta?: MetaObject;
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
  _meta?: MetaObject;
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
  _meta?: MetaObject;
}

/**
 * A model's wish that a tool be used.
 *
 * @deprecated Servers should call a model provider themselves.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
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
  _meta?: MetaObject;
}

/**
 * What came of a use of a tool that a model wished for.
 *
 * @deprecated Servers should call a model provider themselves.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
 * @category `sampling/createMessage`
 */
export interface ToolResultContent {
  /** The kind of content, by which its shape is known. */
  type: "tool_result";
  /** The id of the use that this is the result of. */
  toolUseId: string;
  /** What the tool gave back, for the model to read. */
  content: ContentBlock[];
  /**
   * What the tool gave back, as any JSON value that fits the tool's output schema. Null is a value;
   * absent means that there is none.
   */
  structuredContent?: unknown;
  /**
   * Whether the tool failed. Absent means that it succeeded.
   *
   * @default false
   */
  isError?: boolean;
  /** Further data, by key, which the protocol carries and does not interpret. */
  _meta?: MetaObject;
}

/**
 * What a server looks for in a model. The weights say how the qualities compare; the client
 * balances them, and need not follow them.
 *
 * @deprecated Servers should call a model provider themselves.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
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
 * @deprecated Servers should call a model provider themselves.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
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
    /**
     * The suggested values, the best first. There are never more than 100.
     *
     * @maxItems 100
     */
    values: string[];
    /** How many suggestions there are in all, including those not sent. Absent when unknown. */
    total?: number;
    /** Whether there are more suggestions than were sent, even where their number is not known. */
    hasMore?: boolean;
  };
}

/**
 * The response to `completion/complete`.
 *
 * @category `completion/complete`
 */
export interface CompleteResultResponse extends JSONRPCResultResponse {
  /** What the method returns. */
  result: CompleteResult;
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
 * @deprecated Pass files and directories as tool arguments or in the server's configuration.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
 * @category `roots/list`
 */
export interface ListRootsRequest {
  /** The method that this request calls. */
  method: "roots/list";
  /** The parameters of the request. */
  params?: {
    /** Further data, by key, which the protocol carries and does not interpret. */
    _meta?: MetaObject;
  };
}

/**
 * The roots of the client.
 *
 * @deprecated Pass files and directories as tool arguments or in the server's configuration.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
 * @category `roots/list`
 */
export interface ListRootsResult {
  /** The roots. There may be none. */
  roots: Root[];
}

/**
 * A file or directory that the server may work on. It is guidance, and does not enforce anything.
 *
 * @deprecated Pass files and directories as tool arguments or in the server's configuration.
 * SEP-2577 deprecates it; a revision released on or after 2027-07-28 may lack it.
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
  _meta?: MetaObject;
}

/**
 * The parameters of an elicitation by form. A form must not ask for secrets.
 *
 * @category `elicitation/create`
 */
export interface ElicitRequestFormParams {
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
export interface ElicitRequestURLParams {
  /** The mode of the elicitation. */
  mode: "url";
  /** Why the user should go there. */
  message: string;
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
export interface ElicitRequest {
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
export interface ElicitResult {
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
 * The requests that a client may send.
 *
 * @internal
 */
export type ClientRequest =
  | DiscoverRequest
  | CompleteRequest
  | GetPromptRequest
  | ListPromptsRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscriptionsListenRequest
  | CallToolRequest
  | ListToolsRequest;

/**
 * The only notification that a client may send.
 *
 * @internal
 */
export type ClientNotification = CancelledNotification;

/**
 * The results that a client may send. It has none to send, since servers send no requests.
 *
 * @internal
 */
export type ClientResult = EmptyResult;

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
  | SubscriptionsAcknowledgedNotification;

/**
 * The results that a server may send.
 *
 * @internal
 */
export type ServerResult =
  | EmptyResult
  | DiscoverResult
  | CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourceTemplatesResult
  | ListResourcesResult
  | ReadResourceResult
  | SubscriptionsListenResult
  | CallToolResult
  | ListToolsResult
  | InputRequiredResult;
