import type { TestProject } from 'vitest/node'
import { build } from '../../../cli/bootstrap/builds.mjs'

/** Builds the web app and the program for the specs that use them, unless they are current; again when specs are rerun. */
export const setup = async (project: TestProject): Promise<void> => {
  await build(process.execPath)
  project.onTestsRerun(() => build(process.execPath))
}
