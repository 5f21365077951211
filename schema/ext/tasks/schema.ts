// The tasks extension of the Model Context Protocol, io.modelcontextprotocol/tasks.
//
// The declarations follow the official schema of the extension: every name, member, type and
// tag, in its order. The comments are this project's own.

import type {
  Error as JSONRPCErrorObject,
  InputRequests,
  InputResponses,
  JSONRPCNotification,
  JSONRPCRequest,
  NotificationParams,
  Result,
} from "../../2026-07-28/schema.js";

/**
 * How far a task is.
 *
 * @category `tasks`
 */
export type TaskStatus =
  /** The server is at work on it. */
  | "working"
  /** It cannot go on before the client has answered what it asks. */
  | "input_required"
  /** It has ended, and its result is there. */
  | "completed"
  /** It has ended with an error of the protocol. */
  | "failed"
  /** It was given up. */
  | "cancelled";

/**
 * What is true of a task in every status.
 *
 * @category `tasks`
 */
export interface Task {
  /** The id of the task, which the server chose. */
  taskId: string;
  /** How far the task is. */
  status: TaskStatus;
  /** More about the status, for people and models: what is being done, or why it failed. */
  statusMessage?: string;
  /** When the task was created, as an ISO 8601 time. */
  createdAt: string;
  /** When the task last changed, as an ISO 8601 time. */
  lastUpdatedAt: string;
  /**
   * How long the server keeps the task, in milliseconds from its creation. Null means without
   * limit. It may change while the task lives.
   *
   * @format int
   * @nullable
   */
  ttlMs: number | null;
  /**
   * How long a client should wait between two calls of `tasks/get`, in milliseconds. It may change
   * while the task lives.
   *
   * @format int
   */
  pollIntervalMs?: number;
}

/**
 * A task that the server is at work on.
 *
 * @category `tasks`
 */
export interface WorkingTask extends Task {
  /** The status that tells it from the others. */
  status: "working";
}

/**
 * A task that waits for the client.
 *
 * @category `tasks`
 */
export interface InputRequiredTask extends Task {
  /** The status that tells it from the others. */
  status: "input_required";
  /** What the task asks of the client. A key is used once in the life of a task. */
  inputRequests: InputRequests;
}

/**
 * A task that has its result.
 *
 * @category `tasks`
 */
export interface CompletedTask extends Task {
  /** The status that tells it from the others. */
  status: "completed";
  /** What would have answered the request that became the task. */
  result: { [key: string]: unknown };
}

/**
 * A task that ended with an error of the protocol.
 *
 * @category `tasks`
 */
export interface FailedTask extends Task {
  /** The status that tells it from the others. */
  status: "failed";
  /** The error that would have answered the request that became the task. */
  error: JSONRPCErrorObject;
}

/**
 * A task that was given up.
 *
 * @category `tasks`
 */
export interface CancelledTask extends Task {
  /** The status that tells it from the others. */
  status: "cancelled";
}

/**
 * A task with what belongs to its status.
 *
 * @category `tasks`
 */
export type DetailedTask =
  | WorkingTask
  | InputRequiredTask
  | CompletedTask
  | FailedTask
  | CancelledTask;

/**
 * The answer to a request that has become a task, in place of its result.
 *
 * @category `tasks`
 */
export type CreateTaskResult = Result & Task & {
  /** The type by which a client tells a task from a result. */
  resultType: "task";
};

/**
 * Asks for the state of a task.
 *
 * @category `tasks/get`
 */
export type GetTaskRequest = JSONRPCRequest & {
  /** The method that this request calls. */
  method: "tasks/get";
  /** The parameters of the request. */
  params: {
    /** The id of the task. */
    taskId: string;
  };
};

/**
 * The state of a task.
 *
 * @category `tasks/get`
 */
export type GetTaskResult = Result & DetailedTask & {
  /** The type of every result that asks for nothing more. */
  resultType: "complete";
};

/**
 * Gives a task what it asks for.
 *
 * @category `tasks/update`
 */
export type UpdateTaskRequest = JSONRPCRequest & {
  /** The method that this request calls. */
  method: "tasks/update";
  /** The parameters of the request. */
  params: {
    /** The id of the task. */
    taskId: string;
    /** The answers, by the keys of what the task asks. */
    inputResponses: InputResponses;
  };
};

/**
 * Says that the answers have arrived, not that the task has read them.
 *
 * @category `tasks/update`
 */
export type UpdateTaskResult = Result & {
  /** The type of every result that asks for nothing more. */
  resultType: "complete";
};

/**
 * Asks the server to give a task up.
 *
 * @category `tasks/cancel`
 */
export type CancelTaskRequest = JSONRPCRequest & {
  /** The method that this request calls. */
  method: "tasks/cancel";
  /** The parameters of the request. */
  params: {
    /** The id of the task. */
    taskId: string;
  };
};

/**
 * Says that the server knows of the wish, not that the task has ended.
 *
 * @category `tasks/cancel`
 */
export type CancelTaskResult = Result & {
  /** The type of every result that asks for nothing more. */
  resultType: "complete";
};

/**
 * The state of a task that has changed.
 *
 * @category `notifications/tasks`
 */
export type TaskStatusNotificationParams = NotificationParams & DetailedTask & {
  [key: string]: unknown;
};

/**
 * Tells a client that listens for a task that its status has changed.
 *
 * @category `notifications/tasks`
 */
export type TaskStatusNotification = JSONRPCNotification & {
  /** The method that says what happened. */
  method: "notifications/tasks";
  /** The state of the task. */
  params: TaskStatusNotificationParams;
};

/**
 * What the extension adds to the filter of `subscriptions/listen`.
 *
 * @category `subscriptions`
 */
export interface TaskSubscriptionNotifications {
  /** The ids of the tasks whose changes the client wants to know. */
  taskIds?: string[];
}

/**
 * What the extension adds to `notifications/subscriptions/acknowledged`.
 *
 * @category `subscriptions`
 */
export interface TaskSubscriptionAcknowledgedNotifications {
  /** The ids of the tasks whose changes the server will send. */
  taskIds?: string[];
}

/**
 * What a side declares of the extension: no settings.
 *
 * @category `tasks`
 */
export type TasksExtensionCapability = Record<string, never>;
