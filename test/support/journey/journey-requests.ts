import { daoRequests } from "./dao-requests.ts";
import { delegateRequests } from "./delegate-requests.ts";
import { entityRequests } from "./entity-requests.ts";
import { indexRequests } from "./index-requests.ts";
import { listRequests } from "./list-requests.ts";
import {
  type JourneyRequest,
  type JourneySubjects,
  METHOD_NOT_ALLOWED,
  NOT_FOUND,
  sameForAll,
} from "./promised.ts";

function otherRequests(): JourneyRequest[] {
  const unknown = [
    "/v1",
    "/v1/",
    "/v1/daos/",
    "/v1/DAOS",
    "/v1//daos",
    "/v1/votes",
    "/v1/dgi/",
    "/v1/daos/a/b/c",
  ];
  const methods = ["POST", "PUT", "DELETE", "PATCH"] as const;
  return [
    ...unknown.map((path) => sameForAll("a route that is none", path, NOT_FOUND)),
    ...methods.map((method) => ({ ...sameForAll("another method", "/v1/daos", METHOD_NOT_ALLOWED), method })),
  ];
}

/** Every endpoint with every parameter, and what each tier must get: proxy.md §2 as requests. */
export function journeyRequests(subjects: JourneySubjects): readonly JourneyRequest[] {
  return [
    ...listRequests(subjects),
    ...daoRequests(subjects),
    ...delegateRequests(subjects),
    ...indexRequests(subjects),
    ...entityRequests(subjects),
    ...otherRequests(),
  ];
}
