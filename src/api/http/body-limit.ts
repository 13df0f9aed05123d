// How large the body of a request may be, for whoever takes it and whoever reads it.

export const bodyBytesMax = 3 * 1024 * 1024
