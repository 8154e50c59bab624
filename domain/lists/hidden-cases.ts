/** Says that cases of a run are in no list, because they have the key of another case. */
export const hiddenNote = (hidden_cases: number): string =>
  `${hidden_cases} ${hidden_cases === 1 ? 'case is' : 'cases are'} not shown: same key`
