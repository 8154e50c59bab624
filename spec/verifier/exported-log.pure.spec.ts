import { describe, expect, it } from 'vitest'
import { LOG_CASES, damagedLogs } from '../support/verifier/log-cases.ts'
import { pyodideLogCodes, systemPythonLogCodes, type LogCase } from '../support/verifier/python.ts'

const label = ({ name, code }: LogCase, got = code): string => `${name}: ${got}`
const expected = LOG_CASES.map((each) => label(each))

describe('an exported log', () => {
  it('is checked by the Python of the machine, if there is one', () => {
    const codes = systemPythonLogCodes(LOG_CASES)
    expect(codes === null ? expected : LOG_CASES.map((each, at) => label(each, codes[at]))).toEqual(expected)
  })

  it('is refused for any damage', async () => {
    const logs = damagedLogs(500)
    const [first, ...others] = systemPythonLogCodes(logs) ?? (await pyodideLogCodes(logs))
    expect(first).toBe(0)
    expect(logs.slice(1).filter((_, at) => ![10, 20].includes(others[at] ?? 0))).toEqual([])
  })
})
