import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { openApiText } from "../../proxy/openapi/openapi-document.ts";

/** A response as a caller received it, with its request. */
export interface SeenAnswer {
  readonly method: string;
  /** Path and query of the request. */
  readonly target: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As received, compressed or not. */
  readonly body: Buffer | string;
}

interface Schema {
  readonly [word: string]: unknown;
}
interface Header {
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Response {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}
export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly required: boolean;
  readonly schema: Schema;
  readonly "x-lowest-tier"?: string;
  readonly "x-free-maximum"?: number;
}
export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
  readonly security?: readonly object[];
  readonly "x-lowest-tier"?: string;
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly "x-other-requests": Readonly<Record<"other-path" | "other-method" | "options", Operation>>;
}

/** General HTTP headers, which the document does not describe. */
const TRANSPORT = new Set(["date", "connection", "keep-alive", "content-length", "content-type"]);

/** The document with every reference replaced by its target. */
function dereferenced(text: string): Document {
  const root = JSON.parse(text);
  const resolve = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolve);
    if (typeof node !== "object" || node === null) return node;
    const { $ref, ...rest } = node as { readonly $ref?: string };
    const entries = Object.entries(rest).map(([name, value]) => [name, resolve(value)]);
    if ($ref === undefined) return Object.fromEntries(entries);
    const steps = $ref.replace("#/", "").split("/");
    const target = steps.reduce((node, step) => node[step.replaceAll("~1", "/").replaceAll("~0", "~")], root);
    if (target === undefined) throw new Error(`${$ref} does not exist`);
    return { ...(resolve(target) as object), ...Object.fromEntries(entries) };
  };
  return resolve(root) as Document;
}

const document = dereferenced(openApiText());
const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: false });
addFormats.default(ajv);
const compiled = new Map<Schema, ReturnType<typeof ajv.compile>>();

/** The errors of ajv for a value. */
function faults(schema: Schema, value: unknown): readonly string[] {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

/** Converts a text from a header or a query to the type of its schema. */
function typed(schema: Schema, text: string): unknown {
  return schema["type"] === "integer" && /^-?(0|[1-9][0-9]*)$/.test(text) ? Number(text) : text;
}

const templates = Object.keys(document.paths).map((template) => ({
  template,
  pattern: new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

/** The operation of a requested path; `undefined` if there is none. */
export function operationAt(path: string): Operation | undefined {
  // As in the router, a template without parameters wins.
  const template = templates.filter(({ pattern }) => pattern.test(path));
  const [best] = template.sort((a, b) => Number(a.template.includes("{")) - Number(b.template.includes("{")));
  return best === undefined ? undefined : document.paths[best.template]?.get;
}

/** The documented responses to a request. */
function described(method: string, path: string): Operation {
  const others = document["x-other-requests"];
  const isUnderApi = path === "/v1" || path.startsWith("/v1/");
  if (isUnderApi && method === "OPTIONS") return others.options;
  if (isUnderApi && method !== "GET" && method !== "HEAD") return others["other-method"];
  const operation = method === "GET" || method === "HEAD" ? operationAt(path) : undefined;
  return operation ?? others["other-path"];
}

/** Whether the document allows these parameters: all known, no duplicates, valid values, and none missing. */
export function areParametersGood(operation: Operation, query: URLSearchParams): boolean {
  const rules = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
  const isGood = ([name, text]: [string, string]) => {
    const rule = rules.find((rule) => rule.name === name);
    if (rule === undefined || query.getAll(name).length > 1) return false;
    return faults(rule.schema, typed(rule.schema, text)).length === 0;
  };
  return [...query].every(isGood) && rules.every(({ name, required }) => !required || query.has(name));
}

function headerFaults(response: Response, headers: SeenAnswer["headers"]): readonly string[] {
  const known = new Map(
    Object.entries(response.headers ?? {}).map(([name, header]) => [name.toLowerCase(), header]),
  );
  const seen = Object.entries(headers).filter(([, value]) => value !== undefined);
  return [
    ...seen.flatMap(([name, value]) => {
      if (TRANSPORT.has(name)) return [];
      const header = known.get(name);
      if (header === undefined) return [`header ${name} is not described`];
      return faults(header.schema, typed(header.schema, String(value))).map(
        (fault) => `header ${name}${fault}`,
      );
    }),
    ...[...known].flatMap(([name, header]) =>
      header.required === true && headers[name] === undefined ? [`header ${name} is missing`] : [],
    ),
  ];
}

function unpacked(body: Buffer, encoding: unknown): string {
  if (encoding === "br") return brotliDecompressSync(body).toString("utf8");
  if (encoding === "gzip") return gunzipSync(body).toString("utf8");
  return body.toString("utf8");
}

function bodyFaults(response: Response, seen: SeenAnswer): readonly string[] {
  const { content } = response;
  const body = Buffer.from(seen.body);
  if (content === undefined || seen.method === "HEAD")
    return body.length === 0 ? [] : ["a body where there is none"];
  const [type = "", ...parameters] = String(seen.headers["content-type"]).split("; ");
  const media = content[type];
  if (media === undefined) return [`content type ${type} is not described`];
  const isText = type.startsWith("text/") || type === "application/json";
  if (parameters.join() !== (isText ? "charset=utf-8" : ""))
    return [`content type ${type} with ${parameters}`];
  const text = unpacked(body, seen.headers["content-encoding"]);
  const value = type === "application/json" ? JSON.parse(text) : text;
  return faults(media.schema, value).map((fault) => `body${fault}`);
}

/** All differences of a response from the OpenAPI document, including unknown statuses, codes, headers and fields. */
export function openApiViolations(seen: SeenAnswer): readonly string[] {
  const [path = "", query = ""] = seen.target.split("?");
  const operation = described(seen.method, path);
  const response = operation.responses[seen.status];
  const where = `${seen.method} ${seen.target.slice(0, 100)} ${seen.status}: `;
  if (response === undefined) return [`${where}this status is not described`];
  const wrong = [...headerFaults(response, seen.headers), ...bodyFaults(response, seen)];
  const isAnswered = seen.status === 200 || seen.status === 304;
  if (isAnswered && seen.method !== "OPTIONS" && operation.parameters !== undefined) {
    if (!areParametersGood(operation, new URLSearchParams(query)))
      wrong.push("these parameters are not described");
  }
  return wrong.map((fault) => where + fault);
}
