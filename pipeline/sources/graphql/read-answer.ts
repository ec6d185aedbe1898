import { z } from "zod";
import { sourceFailed } from "../../facts/errors.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import type { JsonAnswer } from "../http/exchange.ts";
import type { HttpClient } from "../http/http-client.ts";

export interface GraphqlService {
  readonly http: HttpClient;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What messages call it, such as "the hub". */
  readonly name: string;
  /** Whether a message is of a fault that passes, such as a database that does not answer. All others are final. */
  readonly isPassing: (message: string) => boolean;
  readonly keyHint: string;
}

/** One of our queries: `name` is its GraphQL operation, `field` its result under `data`. */
export interface GraphqlQuery {
  readonly name: string;
  readonly field: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly selection: string;
}

export interface GraphqlAnswer {
  /** Rows of a list that the service could not return are `undefined`. */
  readonly value: unknown;
  /** Fields of an object that the service could not return; the value has none of them. Empty for a list. */
  readonly unreadable: readonly string[];
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

/** A field of the answer. Own properties only, because the service chooses the keys. */
function fieldOf(data: object | null | undefined, name: string) {
  return data == null ? undefined : Object.getOwnPropertyDescriptor(data, name);
}

/** The values of several fields, by alias; `undefined` unless every one of them came and nothing failed. */
export function valuesOf(
  { status, body }: JsonAnswer,
  aliases: readonly string[],
): readonly unknown[] | undefined {
  const { data, errors } = (isSuccess(status) && Answer.safeParse(body).data) || {};
  const fields = aliases.flatMap((alias) => fieldOf(data, alias) ?? []);
  if (fields.length < aliases.length || (errors != null && errors.length > 0)) return undefined;
  return fields.map(({ value }) => value);
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * The answer to one query. Throws `SOURCE_FAILED` if the service refuses it; the error's data say if a smaller query, or one
 * without some row or field, may succeed.
 */
export function readAnswer(
  service: GraphqlService,
  query: GraphqlQuery,
  { status, body }: JsonAnswer,
): GraphqlAnswer {
  const { name, keyHint: hint } = service;
  const failed = (what: string, options?: Parameters<typeof sourceFailed>[1]) =>
    sourceFailed(`${name} ${what}`, options);
  if (status === 401 || status === 403) {
    throw failed(`refused the key (${query.name}, status ${status})`, { hint });
  }
  if (status === 413) {
    throw sourceFailed(`${name}'s answer is too large (${query.name})`, { data: { isTooLarge: true } });
  }
  const parsed = isSuccess(status) || status === 500 ? Answer.safeParse(body) : undefined;
  if (isSuccess(status) && parsed?.success !== true) {
    throw failed(`sent an answer that is not GraphQL (${query.name})`);
  }
  const { data, errors } = parsed?.data ?? {};
  const field = fieldOf(data, query.field);
  if (errors == null || errors.length === 0) {
    if (!isSuccess(status)) throw failed(`answered status ${status} (${query.name})`, { data: { status } });
    if (field === undefined) throw failed(`sent an answer without ${query.field} (${query.name})`);
    return { value: field.value, unreadable: [] };
  }
  const parts = misfitsOf(errors, query.field);
  if (parts === undefined) {
    throw failed(`refused the query${said(service, errors[0])} (${query.name})`, { data: { status } });
  }
  const value: unknown = field?.value;
  if (Array.isArray(value)) {
    return { value: value.map((row, index) => (parts.has(index) ? undefined : row)), unreadable: [] };
  }
  if (typeof value === "object" && value !== null) {
    const given = Object.entries(value).filter(([key]) => !parts.has(key));
    return { value: Object.fromEntries(given), unreadable: [...parts].map(String) };
  }
  // One row of the list or one field of the object is not of its schema's type.
  const [part = 0] = parts;
  const what = typeof part === "number" ? "a row lacks a required field" : `${part} has a wrong type`;
  throw failed(`returned nothing, because ${what} (${query.name})`, { data: { part } });
}

/** The service's message, unless it repeats our key. */
function said({ headers }: GraphqlService, complaint: unknown): string {
  const message = upstreamText(messageOf(complaint));
  const isSecret = Object.values(headers).some((value) => message?.includes(value) === true);
  return message === undefined || isSecret ? "" : `: ${message}`;
}

/** The rows or fields that all errors are about; `undefined` if one is about something else. */
function misfitsOf(errors: readonly unknown[], field: string): ReadonlySet<string | number> | undefined {
  const parts = new Set<string | number>();
  for (const error of errors) {
    const [within, part] = Misfit.safeParse(error).data?.path ?? [];
    if (within !== field || part === undefined) return undefined;
    parts.add(part);
  }
  return parts;
}
