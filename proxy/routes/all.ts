import type { Endpoint } from "../request/endpoint.ts";
import { daoDelegates } from "./dao-delegates.ts";
import { daoDetail } from "./dao-detail.ts";
import { daoGraph } from "./dao-graph.ts";
import { daoList } from "./dao-list.ts";
import { daoRisk } from "./dao-risk.ts";
import { entityById } from "./entity-by-id.ts";
import { entityByWallet } from "./entity-by-wallet.ts";
import { governanceIndex } from "./governance-index.ts";
import { governanceIndexHistory } from "./governance-index-history.ts";

/** Every endpoint under `/v1`. What is not here does not exist. */
export const ENDPOINTS: readonly Endpoint[] = [
  daoList,
  daoDetail,
  daoRisk,
  daoDelegates,
  daoGraph,
  governanceIndex,
  governanceIndexHistory,
  entityById,
  entityByWallet,
];
