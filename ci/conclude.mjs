// The last step: passes or fails the job by the exit code of the evaluation.
import { annotate, isTrue, variable } from './runner.mjs'

const REASONS = {
  2: 'the suite, the results or the inputs are wrong',
  3: 'something around the results failed: a provider, a grader, a program or the service',
}

export const conclude = () => {
  const code = variable('EXIT_CODE')
  if (code === '0') return 0
  if (code === '1') {
    const isFailure = isTrue('FAIL_ON_REGRESSION')
    const what = variable('GATE') === '' ? 'a case failed, or is worse than in the baseline' : 'a rule failed'
    annotate(isFailure ? 'error' : 'warning', what)
    return isFailure ? 1 : 0
  }
  if (code === '2' && variable('GATE') === 'not_calibrated') {
    annotate('error', 'a rule about a judge cannot be judged: label more cases, or set allow-uncalibrated')
    return 2
  }
  const classes = variable('ERROR_CLASSES')
  const isUpload = code === '3' && variable('INPUT_SERVER_URL') !== '' && variable('RUN_URL') === ''
  annotate(
    'error',
    [
      `${REASONS[code] ?? 'the evaluation did not end'}${code === '' ? '' : ` (exit code ${code})`}`,
      ...(classes === '' ? [] : [`error classes: ${classes}`]),
      ...(isUpload ? ['the upload may have failed: check server-url and token'] : []),
    ].join('; '),
  )
  return REASONS[code] === undefined ? 1 : Number(code)
}
