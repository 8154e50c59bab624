type Named = { readonly name: string | null; readonly test_id: string | null; readonly case_key: string }

/** What a case is called wherever it is listed: its name, else the id of its test. */
export const caseName = ({ name, test_id, case_key }: Named): string => name || test_id || case_key

/** Whether an import made the id of a test from its variables or its input. */
const isMadeOfInputs = (test_id: string): boolean => /^(?:vars|input)-[0-9a-f]{12}(?:#\d+)?$/.test(test_id)

/** What is shown after the name where there is room: the id of the test; null if it says nothing more. */
export const caseId = (named: Named): string | null => {
  const { test_id } = named
  // Many names are the id with spaces.
  return test_id && !isMadeOfInputs(test_id) && test_id.replaceAll('_', ' ') !== caseName(named).replaceAll('_', ' ')
    ? test_id
    : null
}

/** The heading of a case: the short id of its test, unless it says nothing more than the name or an import made it from the inputs. */
export const caseTitle = (named: Named): string => caseId(named) ?? caseName(named)
