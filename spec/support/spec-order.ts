import { createHash } from 'node:crypto'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * The parts of a run. Specs in a browser come first, because the longest files are among them: at the end of the run,
 * they would keep one core busy while the others have nothing left to do.
 */
const partOf = ({ project, moduleId }: TestSpecification): number => {
  if (project.name === 'sqlite') return moduleId.includes('/spec/browser/') ? 0 : 2
  return project.name === 'postgres' ? 1 : 3
}

/**
 * Runs the longest files of each part first. With `SPEC_ORDER=7`, the files of each part run in another order, the one
 * that this text names; with `--sequence.shuffle` in the order of its seed.
 */
export class SpecOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence
    const order = process.env['SPEC_ORDER'] ?? (shuffle ? String(seed) : null)
    const drawn = ({ project, moduleId }: TestSpecification): string =>
      createHash('sha256').update(`${order} ${project.name} ${moduleId}`).digest('hex')
    const sorted = order === null ? await super.sort(files) : files.toSorted((a, b) => (drawn(a) < drawn(b) ? -1 : 1))
    return sorted.toSorted((a, b) => partOf(a) - partOf(b))
  }
}
