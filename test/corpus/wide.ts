// A loop whose limits hold nothing: what is kept all the same is kept by the protection under test
// alone.

export const wide = {
  limits: { deletes: 1000, deletesPercent: 100, changes: 1000, shrinkPercent: 0 },
  onEmpty: "Allow",
  onVanish: "Correct",
}
