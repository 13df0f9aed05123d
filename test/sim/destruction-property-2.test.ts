// The property of destruction, second half. See destruction/suite.ts.

import { describe } from "vitest"
import { destructionHalf } from "./destruction/suite.ts"

describe("random lives (second half)", () => destructionHalf(1_000_001))
