// Ten times the property of destruction, second half; only `npm run test:soak` runs it.

import { describe } from "vitest"
import { destructionHalf } from "../sim/destruction/suite.ts"

describe("many random lives (second half)", () => destructionHalf(3_000_001, 50_000))
