import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const trial = (name: string, task: string, more: object) => ({
  id: `id-${name}`,
  task_name: task,
  trial_name: name,
  source: 'capitals@1.0',
  task_checksum: `sum-${task}`,
  config: { task: { path: `tasks/${task}` } },
  agent_info: { name: 'atlas-agent', version: '2.1.0', model_info: { name: 'large-2', provider: 'acme' } },
  agent_result: { n_input_tokens: 900, n_cache_tokens: 500, n_output_tokens: 60, cost_usd: 0.0123 },
  started_at: '2026-03-02T09:00:00Z',
  finished_at: '2026-03-02T09:01:00Z',
  agent_execution: { started_at: '2026-03-02T09:00:10Z', finished_at: '2026-03-02T09:00:40Z' },
  ...more,
})

/**
 * Writes a job of Harbor with three trials of two tasks: a rewarded one with a trajectory and the files of a verifier, one that
 * failed, and one whose agent ran out of time.
 */
export const writeHarborJob = (folder: string, trajectory: object): string => {
  const write = (path: string, value: object | string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), typeof value === 'string' ? value : JSON.stringify(value))
  }
  write('result.json', {
    id: 'job-1',
    started_at: '2026-03-02T08:59:00Z',
    finished_at: '2026-03-02T09:02:00Z',
    n_total_trials: 3,
    stats: { n_completed_trials: 3, n_errored_trials: 1 },
  })
  write('config.json', { job_name: 'nightly', datasets: [{ name: 'capitals', version: '1.0' }], n_attempts: 2 })
  write('lima__a/result.json', trial('lima__a', 'lima', { verifier_result: { rewards: { reward: 1, style: 0.25 } } }))
  write('lima__a/agent/trajectory.json', trajectory)
  write('lima__a/verifier/test-stdout.txt', 'the answer is right\n')
  const exception = {
    exception_type: 'AgentTimeoutError',
    exception_message: 'out of time',
    exception_traceback: 'Traceback: agent.py',
    occurred_at: '2026-03-02T09:00:50Z',
  }
  write(
    'lima__b/result.json',
    trial('lima__b', 'lima', { verifier_result: { rewards: { reward: 0 } }, exception_info: exception }),
  )
  write('oslo__a/result.json', trial('oslo__a', 'oslo', { verifier_result: null, exception_info: exception }))
  return folder
}
