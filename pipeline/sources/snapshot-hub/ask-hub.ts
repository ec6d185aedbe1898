import { z } from "zod";
import { PipelineError } from "../../base/pipeline-error.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import type { HttpClient, JsonAnswer } from "../http/http-client.ts";
import type { HubQuery } from "./queries.ts";

/** Where the hub is, and who asks. */
export interface HubDoor {
  readonly http: HttpClient;
  readonly url: string;
  readonly apiKey: string | undefined;
}

const Answer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ message: z.string().nullish() })).nullish(),
});

/**
 * Asks one question, and answers what stands in its field, `null` included. Throws `PipelineError` SOURCE_FAILED
 * where the hub refuses: it does so with status 200 and `errors` for a limit, and with bodies that are no GraphQL
 * for a key or a rate.
 */
export async function askHub(
  { http, url, apiKey }: HubDoor,
  query: HubQuery,
  variables: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const answer = await http.postJson({
    url,
    body: { operationName: query.name, query: query.text, variables },
    ...(apiKey === undefined ? {} : { headers: { "x-api-key": apiKey } }),
  });
  refuseStatus(answer, query);
  const parsed = Answer.safeParse(answer.body);
  if (!parsed.success) throw failed(query, "answered what is no GraphQL");
  const { data, errors } = parsed.data;
  if (errors != null && errors.length > 0) {
    const words = upstreamText(errors[0]?.message);
    throw failed(query, `refused the query${words === undefined ? "" : `: ${words}`}`);
  }
  // `hasOwn`, because the hub chooses the keys.
  if (data == null || !Object.hasOwn(data, query.field)) throw failed(query, `answered no ${query.field}`);
  return data[query.field];
}

function refuseStatus({ status }: JsonAnswer, query: HubQuery): void {
  if (status === 401 || status === 403) {
    throw new PipelineError("SOURCE_FAILED", `the hub refused the key (${query.name}, status ${status})`, {
      hint: "Check the hub's API key; without one the hub answers too, at a lower rate.",
    });
  }
  if (status === 429) {
    throw new PipelineError("SOURCE_FAILED", `the hub answers no more: its rate is used up (${query.name})`, {
      hint: "Lower --rps, or give a key. The next fetch goes on from the last page that was kept.",
    });
  }
  if (status < 200 || status > 299) throw failed(query, `answered status ${status}`);
}

function failed(query: HubQuery, what: string): PipelineError {
  return new PipelineError("SOURCE_FAILED", `the hub ${what} (${query.name})`);
}
