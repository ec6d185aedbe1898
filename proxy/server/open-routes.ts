import type { Socket } from "node:net";
import { docsFiles } from "../openapi/docs-page.ts";
import { openApiText } from "../openapi/openapi-document.ts";
import type { OpenRoute } from "../request/handle-request.ts";
import { DOCS_PAGE_CACHE } from "../request/headers.ts";
import { splitTarget } from "../request/request-head.ts";
import { encodings, type Responses, type StaticBody } from "../request/response.ts";
import type { Readiness } from "../snapshot/readiness.ts";

export interface OpenRoutesParts {
  readonly answers: Responses;
  readonly readiness: () => Readiness;
}

/**
 * The routes outside `/v1`, which need no key and cost no quota. `/healthz`: the process is alive. `/readyz`: it has data
 * to serve. `/openapi.json` and `/docs`: the API's reference, which `/` points to for people with a browser.
 */
export function openRoutes({ answers, readiness }: OpenRoutesParts): readonly OpenRoute[] {
  const { ofJson, ofStatic } = answers;
  return [
    {
      url: "/",
      // The router also matches targets without a path, such as `*`, here.
      answer: (request) =>
        splitTarget(request.url ?? "").path === "/" ? ofStatic(WELCOME, request) : undefined,
    },
    { url: "/healthz", answer: () => ofJson(200, { status: "alive" }) },
    {
      url: "/readyz",
      answer: () => {
        const { httpStatus, body } = readiness();
        return ofJson(httpStatus, body);
      },
    },
    { url: "/openapi.json", answer: (request) => ofStatic(openApiBody(), request) },
    { url: "/docs", answer: (request) => ofStatic(docsFiles().page, request) },
    {
      url: "/docs/:file",
      answer: (request, name) => {
        // The name is a map key, never part of a file path.
        const file = docsFiles().files.get(name);
        return file && ofStatic(file, request);
      },
    },
  ];
}

const WELCOME: StaticBody = {
  type: "text/plain; charset=utf-8",
  cacheControl: DOCS_PAGE_CACHE,
  encode: encodings(
    Buffer.from(`Governance Data API: governance health of DAOs.

/docs          the reference, to read and to try
/openapi.json  the same as OpenAPI 3.1

Every request under /v1 needs an API key in the header x-api-key.
`),
  ),
};

let openApi: StaticBody | undefined;

/** Exactly the bytes that `govdata-proxy openapi` prints. */
function openApiBody(): StaticBody {
  openApi ??= { cacheControl: DOCS_PAGE_CACHE, encode: encodings(Buffer.from(openApiText())) };
  return openApi;
}

/**
 * Lets so many large answers of callers without a key leave at once; others wait for their turn. The system keeps what a
 * caller does not read, up to megabytes for each connection, and this process cannot see how much. So a large answer is
 * the last of its connection, and counts until its caller has ended that, or it was reset.
 */
export function createLargeAnswers(atOnceMax: number): (socket: Socket, write: () => void) => void {
  const waiting: { readonly socket: Socket; readonly write: () => void }[] = [];
  let atOnce = 0;
  const begin = (): void => {
    while (atOnce < atOnceMax) {
      const next = waiting.shift();
      if (next === undefined) return;
      const { socket, write } = next;
      if (socket.destroyed) continue;
      atOnce += 1;
      // Node would close it after its last answer, and the system would keep the unread bytes for minutes.
      socket.destroySoon = () => void socket.end();
      socket.once("close", () => {
        atOnce -= 1;
        begin();
      });
      write();
    }
  };
  return (socket, write) => {
    waiting.push({ socket, write });
    begin();
  };
}
