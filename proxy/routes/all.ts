import type { Endpoint } from "../request/endpoint.ts";
import * as daoDelegates from "./dao-delegates.ts";
import * as daos from "./daos.ts";
import * as entities from "./entities.ts";
import * as governanceIndex from "./governance-index.ts";

/** Every endpoint under `/v1`, by path: all that these modules export. What is not here does not exist. */
export const ENDPOINTS: readonly Endpoint[] = [daos, daoDelegates, governanceIndex, entities]
  .flatMap((endpoints): readonly Endpoint[] => Object.values(endpoints))
  .sort((a, b) => (a.url < b.url ? -1 : 1));
