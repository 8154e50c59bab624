import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['spec/**/*.spec.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each file opens its own state directory and worker threads; two at a time suit a small machine.
    pool: 'forks',
    maxWorkers: 2,
  },
})
