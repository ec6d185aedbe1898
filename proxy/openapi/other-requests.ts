import { EVERY_ANSWER, headerReferences } from "./header-components.ts";
import type { JsonObject } from "./json.ts";
import { ACCESS_REFUSALS, problemResponses, TRANSPORT_REFUSALS } from "./problem-responses.ts";

/**
 * What requests get that no operation describes. OpenAPI has no word for them, so they stand in an extension, in its
 * own notation.
 */
export function otherRequests(): JsonObject {
  return {
    "other-path": {
      description: "A path that is none. Under `/v1` the key comes first; outside it nothing is counted.",
      responses: problemResponses([...TRANSPORT_REFUSALS, ...ACCESS_REFUSALS, "route-unknown"], true),
    },
    "other-method": {
      description: "A method other than GET, HEAD and OPTIONS under `/v1`.",
      responses: problemResponses([...TRANSPORT_REFUSALS, ...ACCESS_REFUSALS, "method-not-allowed"]),
    },
    options: {
      description: "OPTIONS under `/v1`: no key, no quota.",
      responses: {
        ...problemResponses(TRANSPORT_REFUSALS, true),
        204: {
          description: "What may be asked, and for pages of listed origins the answer to a preflight.",
          headers: headerReferences([
            ...EVERY_ANSWER,
            "Cache-Control",
            "Allow",
            "Access-Control-Allow-Methods",
            "Access-Control-Allow-Headers",
            "Access-Control-Max-Age",
          ]),
        },
      },
    },
  };
}
