import type { Json } from '../json.ts'
import { typedNumbers } from '../numbers.ts'
import { buildTurn } from '../suite/build/build-test.ts'
import { checkHistory } from '../suite/check/check-prompts.ts'
import { dottedPath } from '../suite/issues.ts'
import { turn, type AuthoredTurn } from '../suite/shape/prompt-shape.ts'
import { list } from '../suite/shape/shape.ts'
import { parseYaml } from '../suite/source/parse-yaml.ts'
import { linePosition, treeValue } from '../suite/source/tree.ts'
import type { Turn } from '../suite/suite.ts'

const turns = list(turn)

/** A file that holds no history. The message names the file and everything that is wrong. */
class InvalidHistory extends Error {
  override readonly name = 'InvalidHistory'
}

/** Reads the turns of a history from the text of a YAML or JSON file. `name` is the file. Throws `InvalidHistory`. */
export const parseHistory = (name: string, text: string): readonly Turn[] => {
  const faults: string[] = []
  const tree = parseYaml({ name, text }, (place, message) =>
    faults.push(`line ${linePosition(place).line}: ${message}`),
  )
  if (tree !== null && faults.length === 0) {
    const value = turns.normal!(typedNumbers(treeValue(tree)))
    const isList = turns.check(value, null, (at, message) => faults.push(withPath(dottedPath(at), message)))
    if (isList) return checkedTurns(name, value)
  }
  throw new InvalidHistory(`${name}: ${faults.join('; ') || 'expected a list of turns'}`)
}

const checkedTurns = (name: string, value: Json): readonly Turn[] => {
  const authored = value as readonly Json[] as readonly AuthoredTurn[]
  const faults: string[] = []
  checkHistory(authored, null, false, {
    error: (at, message) => void faults.push(withPath(dottedPath(at), message)),
    warning: () => {},
  })
  if (faults.length > 0) throw new InvalidHistory(`${name}: ${faults.join('; ')}`)
  return authored.map(buildTurn)
}

const withPath = (path: string, message: string): string => (path === '' ? message : `${path}: ${message}`)
