import { describeAttacks } from "./describe-attacks.ts";

describeAttacks({ many: "aave-governance-v3", few: "arbitrumfoundation.eth" });
