// The property of destruction, first half. See destruction/suite.ts.

import { describe } from "vitest"
import { destructionHalf } from "./destruction/suite.ts"

describe("random lives (first half)", () => destructionHalf(1))
