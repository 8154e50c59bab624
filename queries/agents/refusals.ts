import { clip } from '../../domain/run/invalid-document.ts'
import { ToolError } from './tool.ts'

// What tools say when nothing was found. A hidden thing and one that does not exist have the same message.

const named = (name: string): string => JSON.stringify(clip(name))

export const noRun = (id: string): ToolError => new ToolError(`run ${named(id)} not found: find_runs lists the run ids`)

export const noCase = (key: string, run_id: string): ToolError =>
  new ToolError(`case ${named(key)} not found in run ${named(run_id)}: list_cases lists the case keys of a run`)

export const noCaseInSuite = (key: string, project: string, suite: string): ToolError =>
  new ToolError(
    `case ${named(key)} not found in suite ${named(suite)} of project ${named(project)}: list_cases lists the case keys of a run, find_runs with group_by the suites`,
  )

export const TOO_LARGE =
  'the result is larger than 64 KiB: narrow the filters, lower limit or max_chars, or ask for fewer fields'
