import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { buildSite, PROGRAM_SOURCES, SITE_SOURCES, WEB_SOURCES } from '../../cli/bootstrap/builds.mjs'
import { programFiles } from '../../packaging/program-files.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

it('the image is built from files that .dockerignore lets in', async () => {
  await buildSite(process.execPath)
  const allowed = read('.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
  expect(allowed.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  const isIn = (path: string): boolean => allowed.some((each) => path === each || path.startsWith(`${each}/`))
  const built = /^(?:dist|webapp\/dist|site\/dist)\/|^(?:README\.md|THIRD-PARTY-LICENCES\.txt|package\.json)$/
  const copied = programFiles(ROOT)
    .map(({ path }) => path)
    .filter((path) => !built.test(path))
  const needed = [
    ...copied,
    ...PROGRAM_SOURCES,
    ...WEB_SOURCES,
    ...SITE_SOURCES,
    'packaging/release.ts',
    'packaging/README.md',
    'tsconfig.json',
  ]
  expect(needed.filter((path) => !isIn(path))).toEqual([])
})

it('the image runs without rights, keeps its state in /data, and checks its health by a command of the program', () => {
  const steps = read('Dockerfile').split('\n')
  expect(steps.filter((step) => step.startsWith('USER ')).at(-1)).toBe('USER ers')
  expect(steps).toContain('VOLUME /data')
  const check = steps.find((step) => step.startsWith('HEALTHCHECK ')) ?? ''
  expect(JSON.parse(check.slice(check.indexOf('[')))).toEqual(['ers', 'healthcheck'])
})

it('compose.yaml runs replicas of this image on a read-only file system, and checks their health', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, unknown> }
  for (const name of ['replica-1', 'replica-2'])
    expect(services[name]).toMatchObject({
      build: '.',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      healthcheck: { test: ['CMD', 'ers', 'healthcheck'] },
    })
})

it('packaging/image.sh is a script of any POSIX shell', () => {
  execFileSync('sh', ['-n', join(ROOT, 'packaging/image.sh')])
})

it('the unit for systemd starts the program of an archive, with rights to nothing but its state', () => {
  const lines = read('deploy/ers.service').split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'ExecStart=/opt/ers/ers serve --data-dir /var/lib/ers',
      'StateDirectory=ers',
      'DynamicUser=yes',
      'CapabilityBoundingSet=',
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'SystemCallFilter=@system-service',
    ]),
  )
})
