// The steps of the GitHub Action (action.yml): `node action.mjs <step>`. Inputs arrive as variables, never as parts of a script.
import { comment } from './comment.mjs'
import { conclude } from './conclude.mjs'
import { evaluate } from './evaluate.mjs'
import { obtain } from './obtain.mjs'
import { annotate, InputError } from './runner.mjs'

const STEPS = { obtain, evaluate, comment, conclude }

try {
  const step = STEPS[process.argv[2]]
  if (step === undefined) throw new InputError(`there is no step ${process.argv[2]}: ${Object.keys(STEPS).join(', ')}`)
  process.exitCode = await step()
} catch (error) {
  annotate('error', error instanceof InputError ? error.message : (error.stack ?? String(error)))
  process.exitCode = error instanceof InputError ? 2 : 3
}
