type Named = { readonly name: string | null; readonly test_id: string | null; readonly case_key: string }

/** What a case is called wherever it is listed: its name, else the id of its test. */
export const caseName = ({ name, test_id, case_key }: Named): string => name || test_id || case_key

/** What is shown after the name where there is room: the id of the test; null if it says nothing more. */
export const caseId = (named: Named): string | null => {
  const { test_id } = named
  // Many names are the id with spaces.
  return test_id && test_id.replaceAll('_', ' ') !== caseName(named).replaceAll('_', ' ') ? test_id : null
}
