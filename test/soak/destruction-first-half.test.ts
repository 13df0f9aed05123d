// Ten times the property of destruction, first half; only `npm run test:soak` runs it.

import { describe } from "vitest"
import { destructionHalf } from "../sim/destruction/suite.ts"

describe("many random lives (first half)", () => destructionHalf(2_000_001, 50_000))
