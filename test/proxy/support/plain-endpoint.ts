import { defineEndpoint, type Endpoint } from "../../../proxy/request/endpoint.ts";

/** A Free endpoint of a test, without parameters and with words that nobody reads. */
export function plainEndpoint(url: string, find: Endpoint["find"]): Endpoint {
  return defineEndpoint({
    url,
    lowestTier: "free",
    operationId: "test",
    tag: "DAOs",
    summary: "Test",
    description: "Test.",
    parameters: {},
    refusals: [],
    find,
  });
}
