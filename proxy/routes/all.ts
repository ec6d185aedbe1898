import type { Endpoint } from "../request/endpoint.ts";
import { daoDelegates } from "./dao-delegates.ts";
import { daoDetail, daoGraph, daoList, daoRisk } from "./daos.ts";
import { entityById, entityByWallet } from "./entities.ts";
import { governanceIndex, governanceIndexHistory } from "./governance-index.ts";

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
