import { caseHistory } from './case-history.ts'
import { compareRuns } from './compare-runs.ts'
import { findRuns } from './find-runs.ts'
import { getCase } from './get-case.ts'
import { getRun } from './get-run.ts'
import { judgeCalibration } from './judge-calibration.ts'
import { listCasesTool } from './list-cases.ts'
import { reviewQueues } from './review-queues.ts'
import { searchTool } from './search-tool.ts'
import { serverInfo } from './server-info.ts'
import type { Tool } from './tool.ts'

/** Every tool, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  findRuns,
  getRun,
  listCasesTool,
  getCase,
  caseHistory,
  compareRuns,
  judgeCalibration,
  searchTool,
  reviewQueues,
  serverInfo,
]

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]))

export const isTool = (name: string): boolean => BY_NAME.has(name)

/** The tool with this name. Throws if there is none: the caller has checked it. */
export const findTool = (name: string): Tool => {
  const tool = BY_NAME.get(name)
  if (!tool) throw new Error(`there is no tool ${name}`)
  return tool
}
