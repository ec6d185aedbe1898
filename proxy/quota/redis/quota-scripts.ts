import type { RedisScript } from "../../redis/redis-script.ts";
import { GRANT, REFUND, SET_COUNT } from "./count-scripts.ts";
import { GUARD, TICK } from "./guard-script.ts";

/** Every script of the counter: a link that counts loads them. */
export const QUOTA_SCRIPTS: readonly RedisScript[] = [GRANT, REFUND, SET_COUNT, GUARD, TICK];
