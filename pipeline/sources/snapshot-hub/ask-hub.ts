import { z } from "zod";
import { PipelineError } from "../../base/pipeline-error.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import type { HttpClient, JsonAnswer } from "../http/http-client.ts";
import { AnswerTooLarge } from "./answer-too-large.ts";
import type { HubQuery } from "./queries.ts";

/** Where the hub is, and who asks. */
export interface HubDoor {
  readonly http: HttpClient;
  readonly url: string;
  readonly apiKey: string | undefined;
}

/** No more of its form than we read: a hub that is not itself may answer with a million errors. */
const Answer = z.object({
  data: z.custom<object>((value) => typeof value === "object" && !Array.isArray(value)).nullish(),
  errors: z.custom<readonly unknown[]>((value) => Array.isArray(value)).nullish(),
});
const Complaint = z.object({ message: z.string() });

/**
 * Asks one question, and answers what stands in its field, `null` included. Throws `PipelineError` SOURCE_FAILED
 * where the hub refuses: it does so with status 200 and `errors` for a limit, and with bodies that are no GraphQL
 * for a key or a rate; `AnswerTooLarge`, which is one, where asking for less may help.
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
    const words = upstreamText(Complaint.safeParse(errors[0]).data?.message);
    throw failed(query, `refused the query${words === undefined ? "" : `: ${words}`}`);
  }
  // The own one, because the hub chooses the keys.
  const field = data == null ? undefined : Object.getOwnPropertyDescriptor(data, query.field);
  if (field === undefined) throw failed(query, `answered no ${query.field}`);
  return field.value;
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
  if (status === 413) throw new AnswerTooLarge(query.name);
  if (status < 200 || status > 299) throw failed(query, `answered status ${status}`);
}

function failed(query: HubQuery, what: string): PipelineError {
  return new PipelineError("SOURCE_FAILED", `the hub ${what} (${query.name})`);
}
