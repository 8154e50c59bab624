import { clip } from '../../domain/run/invalid-document.ts'
import { ToolError } from './tool.ts'

// What tools say when nothing was found. A hidden thing and one that does not exist have the same message.

const named = (name: string): string => JSON.stringify(clip(name))

export const noRun = (id: string): ToolError => new ToolError(`run ${named(id)} not found: find_runs lists the run ids`)

export const noCase = (key: string, run_id: string): ToolError =>
  new ToolError(`case ${named(key)} not found in run ${named(run_id)}: list_cases lists the case keys of a run`)

export const noTranscript = (sha256: string, key: string): ToolError =>
  new ToolError(
    `transcript ${named(sha256)} not found in case ${named(key)}: get_case lists the transcripts of a case that has several`,
  )

export const noCaseInSuite = (key: string, project: string, suite: string): ToolError =>
  new ToolError(
    `case ${named(key)} not found in suite ${named(suite)} of project ${named(project)}: list_cases lists the case keys of a run, find_runs with group_by the suites`,
  )

/** `narrowing` are the arguments of the tool that make its result smaller. */
export const tooLarge = (narrowing: readonly string[]): string =>
  `the result is larger than 64 KiB: narrow the filters or lower the limit, here with ${narrowing.join(' or ')}`
