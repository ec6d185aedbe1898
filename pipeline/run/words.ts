/** The words and limits that commands offer, from the published format. */
export { LISTING_ROWS_PER_CUT as DELEGATE_LIMIT_MAX } from "../../snapshots/format/limits.ts";
export {
  CATEGORIES,
  COMPONENT_KEYS as COMPONENTS,
  WEIGHT_TIERS as TIERS,
} from "../../snapshots/format/value-sets.ts";
