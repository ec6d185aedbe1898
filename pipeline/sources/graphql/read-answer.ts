import { z } from "zod";
import { type PipelineFailure, sourceFailed } from "../../facts/errors.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import type { JsonAnswer } from "../http/exchange.ts";
import type { HttpClient } from "../http/http-client.ts";

/** A GraphQL service and how to use it. */
export interface GraphqlService {
  readonly http: HttpClient;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What messages call it, such as "the hub". */
  readonly name: string;
  /** Whether a message is of a fault that passes, such as a database that does not answer. All others are final. */
  readonly isPassing: (message: string) => boolean;
  /** What to do when it refuses the key. */
  readonly keyHint: string;
}

/** One of our queries: `name` is its GraphQL operation, `field` its result under `data`. */
export interface GraphqlQuery {
  readonly name: string;
  readonly field: string;
  /** The GraphQL type of each argument of the field. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly selection: string;
}

export interface GraphqlAnswer {
  /** Rows of a list that the service could not return are `undefined`. */
  readonly value: unknown;
  /** Fields of an object that the service could not return; the value has none of them. Empty for a list. */
  readonly unreadable: readonly string[];
}

/** The service returned nothing, because one row of the list or one field of the object is not of its schema's type. */
function partUnreadable(
  { name }: GraphqlService,
  query: GraphqlQuery,
  part: number | string,
): PipelineFailure {
  const what = typeof part === "number" ? "a row lacks a required field" : `${part} has a wrong type`;
  return sourceFailed(`${name} returned nothing, because ${what} (${query.name})`, { data: { part } });
}

/** Only the fields that are read: a hostile service might send a million errors. */
const Answer = z.object({
  data: z.custom<object>((value) => typeof value === "object" && !Array.isArray(value)).nullish(),
  errors: z.custom<readonly unknown[]>((value) => Array.isArray(value)).nullish(),
});
const Complaint = z.object({ message: z.string() });

/** A stored value that is not of the schema's type, with the place where it would be. */
const Misfit = z.object({
  message: z
    .string()
    .regex(
      /^(Cannot return null for non-nullable field |Expected Iterable, |Row not found: |\w{1,40} cannot represent )/,
    ),
  path: z.array(z.union([z.string(), z.int().min(0)])).min(2),
});
type Path = z.infer<typeof Misfit>["path"];

/** Whether a body reports a failure, and whether that passes. */
export function failureOf({ isPassing }: GraphqlService, body: unknown) {
  const [first] = Answer.safeParse(body).data?.errors ?? [];
  if (first === undefined) return undefined;
  const message = messageOf(first);
  const passes = message !== undefined && isPassing(message);
  return { passing: passes ? `reports a database failure: "${upstreamText(message)}"` : undefined };
}

function messageOf(complaint: unknown): string | undefined {
  return Complaint.safeParse(complaint).data?.message;
}

/** The values of several fields, by alias; `undefined` unless every one of them came and nothing failed. */
export function valuesOf(
  { status, body }: JsonAnswer,
  aliases: readonly string[],
): readonly unknown[] | undefined {
  const { data, errors } = (status >= 200 && status < 300 && Answer.safeParse(body).data) || {};
  if (data == null || (errors != null && errors.length > 0)) return undefined;
  const fields = aliases.map((alias) => Object.getOwnPropertyDescriptor(data, alias));
  return fields.every((field) => field !== undefined) ? fields.map(({ value }) => value) : undefined;
}

/**
 * The answer to one query. Throws `SOURCE_FAILED` if the service refuses it; the error's data say if a smaller query, or one
 * without some row or field, may succeed.
 */
export function readAnswer(service: GraphqlService, query: GraphqlQuery, answer: JsonAnswer): GraphqlAnswer {
  const { status } = answer;
  const failed = (what: string) => sourceFailed(`${service.name} ${what} (${query.name})`);
  if (status === 401 || status === 403) {
    throw sourceFailed(`${service.name} refused the key (${query.name}, status ${status})`, {
      hint: service.keyHint,
    });
  }
  if (status === 413)
    throw sourceFailed(`${service.name}'s answer is too large (${query.name})`, {
      data: { isTooLarge: true },
    });
  const isSuccess = status >= 200 && status < 300;
  const parsed = isSuccess || status === 500 ? Answer.safeParse(answer.body) : undefined;
  if (isSuccess && parsed?.success !== true) throw failed("sent an answer that is not GraphQL");
  const { data, errors } = parsed?.data ?? {};
  if (errors == null || errors.length === 0) {
    if (isSuccess) return { value: fieldOf(data, query, failed), unreadable: [] };
    throw sourceFailed(`${service.name} answered status ${status} (${query.name})`, { data: { status } });
  }
  const misfits = misfitsOf(errors, query.field);
  if (misfits !== undefined) return withoutMisfits(service, query, data, misfits);
  throw sourceFailed(`${service.name} refused the query${said(service, errors[0])} (${query.name})`, {
    data: { status },
  });
}

/** The service's message, unless it repeats our key. */
function said({ headers }: GraphqlService, complaint: unknown): string {
  const message = upstreamText(messageOf(complaint));
  const isSecret = Object.values(headers).some((value) => message?.includes(value) === true);
  return message === undefined || isSecret ? "" : `: ${message}`;
}

function fieldOf(
  data: object | null | undefined,
  query: GraphqlQuery,
  failed: (what: string) => PipelineFailure,
): unknown {
  // Own properties only, because the service chooses the keys.
  const field = data == null ? undefined : Object.getOwnPropertyDescriptor(data, query.field);
  if (field === undefined) throw failed(`sent an answer without ${query.field}`);
  return field.value;
}

/** The places below the field that all errors are about; `undefined` if one is about something else. */
function misfitsOf(errors: readonly unknown[], field: string): readonly Path[] | undefined {
  const paths: Path[] = [];
  for (const error of errors) {
    const path = Misfit.safeParse(error).data?.path;
    if (path === undefined || path[0] !== field) return undefined;
    paths.push(path.slice(1));
  }
  return paths;
}

/** What the service returned beside the misfits. Throws with the `part` if one of them removed everything. */
function withoutMisfits(
  service: GraphqlService,
  query: GraphqlQuery,
  data: object | null | undefined,
  misfits: readonly Path[],
): GraphqlAnswer {
  const field = data == null ? undefined : Object.getOwnPropertyDescriptor(data, query.field);
  const value: unknown = field?.value;
  if (typeof value !== "object" || value === null) {
    throw partUnreadable(service, query, misfits[0]?.[0] ?? 0);
  }
  const parts = new Set(misfits.map(([part]) => part));
  if (Array.isArray(value)) {
    return { value: value.map((row, index) => (parts.has(index) ? undefined : row)), unreadable: [] };
  }
  const given = Object.entries(value).filter(([name]) => !parts.has(name));
  return { value: Object.fromEntries(given), unreadable: [...parts].map(String) };
}
