// The skills extension of the Model Context Protocol, io.modelcontextprotocol/skills.
//
// The extension publishes no schema file: its specification has the types in its text. The declarations
// are those, with the unions by which mcpgen learns who sends what; the comments are this project's own.
//
// See specification/stable/skills.mdx of https://github.com/modelcontextprotocol/ext-skills.

import type {
  CacheableResult,
  JSONRPCRequest,
  PaginatedRequest,
  PaginatedRequestParams,
  PaginatedResult,
  RequestParams,
  Resource,
} from "../../schema/2026-07-28/schema.js";

/**
 * A file of a skill.
 *
 * @category `skills`
 */
export interface SkillResource {
  /**
   * The URI by which `resources/read` returns the file.
   *
   * @format uri
   */
  uri: string;
  /** The SHA-256 digest of the bytes of the file: `sha256:` and 64 lower-case hexadecimal digits. */
  digest: string;
  /**
   * The length of the file in bytes.
   *
   * @minimum 0
   */
  size: number;
}

/**
 * The front matter of a `SKILL.md`: all that its author wrote, as JSON.
 *
 * @category `skills`
 */
export interface SkillFrontmatter {
  /** The name of the skill, which is also that of its folder. */
  name: string;
  /** What the skill does, and when to use it. */
  description: string;
  [key: string]: unknown;
}

/**
 * All that is known of a skill without reading its files.
 *
 * @category `skills`
 */
export interface Skill {
  /**
   * The URI of the skill's `SKILL.md`.
   *
   * @format uri
   */
  uri: string;
  /** The front matter of the skill's `SKILL.md`. */
  frontmatter: SkillFrontmatter;
  /**
   * All files of the skill, its `SKILL.md` among them; or that they are made on request, and so have
   * no digests.
   */
  resources: SkillResource[] | "dynamic";
}

/**
 * Who may share a cached result.
 *
 * @category `skills`
 */
export type CacheScope =
  /** Any cache may keep the result and give it to anyone. */
  | "public"
  /** Only caches of the same authorization may keep it. */
  | "private";

/**
 * Asks for the skills of a server.
 *
 * @category `skills/list`
 */
export interface ListSkillsRequest extends PaginatedRequest {
  /** The method that this request calls. */
  method: "skills/list";
}

/**
 * One page of the skills of a server. A server need not list all that it has.
 *
 * @category `skills/list`
 */
export interface ListSkillsResult extends PaginatedResult, CacheableResult {
  /** The type of every result that asks for nothing more. */
  resultType: "complete";
  /** Who may share the cached result. It is no access control. */
  cacheScope: CacheScope;
  /** The skills on this page. */
  skills: Skill[];
}

/**
 * The parameters of `skills/get`.
 *
 * @category `skills/get`
 */
export interface GetSkillRequestParams extends RequestParams {
  /**
   * The URI of the skill's `SKILL.md`.
   *
   * @format uri
   */
  uri: string;
}

/**
 * Asks for one skill, which need not be listed.
 *
 * @category `skills/get`
 */
export interface GetSkillRequest extends JSONRPCRequest {
  /** The method that this request calls. */
  method: "skills/get";
  /** The parameters of the request. */
  params: GetSkillRequestParams;
}

/**
 * One skill, as `skills/list` returns it.
 *
 * @category `skills/get`
 */
export interface GetSkillResult extends CacheableResult {
  /** The type of every result that asks for nothing more. */
  resultType: "complete";
  /** Who may share the cached result. It is no access control. */
  cacheScope: CacheScope;
  /** The skill. */
  skill: Skill;
}

/**
 * The parameters of `resources/directory/read`.
 *
 * @category `resources/directory/read`
 */
export interface ReadResourceDirectoryRequestParams extends PaginatedRequestParams {
  /**
   * The URI of the directory, without a slash at its end.
   *
   * @format uri
   */
  uri: string;
}

/**
 * Asks what is in a directory. Only servers that declare `directoryRead` have the method.
 *
 * @category `resources/directory/read`
 */
export interface ReadResourceDirectoryRequest extends PaginatedRequest {
  /** The method that this request calls. */
  method: "resources/directory/read";
  /** The parameters of the request. */
  params: ReadResourceDirectoryRequestParams;
}

/**
 * One page of what is directly in a directory.
 *
 * @category `resources/directory/read`
 */
export interface ReadResourceDirectoryResult extends PaginatedResult {
  /** The type of every result that asks for nothing more. */
  resultType: "complete";
  /** The files and directories on this page. Directories have the media type `inode/directory`. */
  resources: Resource[];
}

/**
 * What a server declares of the extension.
 *
 * @category `skills`
 */
export interface SkillsCapability {
  /** Whether the server has `resources/directory/read`. Absent means that it does not. */
  directoryRead?: boolean;
}

/** What a client may send. */
export type ClientRequest =
  | ListSkillsRequest
  | GetSkillRequest
  | ReadResourceDirectoryRequest;

/** What a server returns. */
export type ServerResult = ListSkillsResult | GetSkillResult | ReadResourceDirectoryResult;
