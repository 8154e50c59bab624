import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { KNOWN_VARIABLES } from '../../cli/serve/variables.ts'

// What the chart makes of six files of values is stored in `rendered/`, so that it is checked without helm too. Where helm
// is installed, the files are compared with what it makes; `vitest -u` writes them again.

const CHART = fileURLToPath(new URL('../../deploy/helm/ers/', import.meta.url))
const RENDERED = fileURLToPath(new URL('rendered/', import.meta.url))
const NAMES = globSync('ci/*.yaml', { cwd: CHART })
  .map((file) => basename(file, '.yaml'))
  .sort()
const hasHelm = spawnSync('helm', ['version'], { stdio: 'ignore' }).status === 0
if (!hasHelm) console.warn('NOT RUN: rendering the chart needs helm (go install helm.sh/helm/v3/cmd/helm@latest)')

/** Arguments of a release of these values on a version of Kubernetes. */
const TEMPLATE = ['template', 'results', CHART, '--namespace', 'evaluation', '--kube-version', '1.34.0']
const valuesOf = (name: string): string => `${CHART}ci/${name}.yaml`

/** A digest of all files that decide what is rendered. */
const chartDigest = (): string => {
  const hash = createHash('sha256')
  for (const file of globSync('**/*.{yaml,json,tpl,txt}', { cwd: CHART }).sort())
    hash.update(`${file}\n`).update(readFileSync(`${CHART}${file}`))
  return `${hash.digest('hex')}\n`
}

type Resource = {
  readonly apiVersion: string
  readonly kind: string
  readonly spec?: { readonly template?: { readonly spec: Pod } }
}
type Pod = {
  readonly securityContext: object
  readonly containers: ReadonlyArray<{
    readonly env: ReadonlyArray<{ readonly name: string }>
    readonly securityContext: object
    readonly volumeMounts: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>
  }>
}

const resourcesOf = (name: string): readonly Resource[] =>
  parseAllDocuments(readFileSync(`${RENDERED}${name}.yaml`, 'utf8')).map((document) => document.toJS() as Resource)
const podsOf = (name: string): readonly Pod[] =>
  resourcesOf(name).flatMap(({ spec }) => (spec?.template ? [spec.template.spec] : []))

/** The schemas of Kubernetes 1.34 (Apache-2.0) for what the chart makes, without descriptions and states. */
const schemas = JSON.parse(
  readFileSync(new URL('../support/kubernetes/schemas.json', import.meta.url), 'utf8'),
) as object
const KNOWN: ReadonlySet<string> = new Set(KNOWN_VARIABLES)
const ajv = new Ajv({ strict: false, allErrors: true }).addSchema(schemas, 'kubernetes')
const PACKAGES: Readonly<Record<string, string>> = {
  v1: 'core.v1',
  'apps/v1': 'apps.v1',
  'batch/v1': 'batch.v1',
  'policy/v1': 'policy.v1',
  'autoscaling/v2': 'autoscaling.v2',
  'networking.k8s.io/v1': 'networking.v1',
}

describe('the chart', () => {
  it('has six files of values', () => {
    expect(NAMES).toEqual([
      'postgresql',
      'postgresql-large',
      'postgresql-one',
      'postgresql-two-roles',
      'sqlite',
      'sqlite-exposed',
    ])
  })

  it.each(NAMES)('makes resources of %s that the schemas of Kubernetes accept', (name) => {
    for (const resource of resourcesOf(name)) {
      // A definition of the Prometheus operator.
      if (resource.kind === 'ServiceMonitor') continue
      const validate = ajv.getSchema(
        `kubernetes#/definitions/io.k8s.api.${PACKAGES[resource.apiVersion]}.${resource.kind}`,
      )
      expect(validate, `${resource.apiVersion} ${resource.kind}`).toBeDefined()
      expect(validate?.(resource) ? [] : validate?.errors, resource.kind).toEqual([])
    }
  })

  it('would be rejected with a field that Kubernetes does not know', () => {
    const validate = ajv.getSchema('kubernetes#/definitions/io.k8s.api.apps.v1.Deployment')
    const deployment = resourcesOf('postgresql').find(({ kind }) => kind === 'Deployment')
    expect(validate?.({ ...deployment, spec: { ...deployment?.spec, replica: 2 } })).toBe(false)
  })

  it.each(NAMES)('gives the pods of %s no rights, and variables that the service knows', (name) => {
    const pods = podsOf(name)
    expect(pods.length).toBeGreaterThan(0)
    for (const { securityContext, containers } of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        const variables = container.env.map((variable) => variable.name)
        expect(new Set(variables).size).toBe(variables.length)
        expect(variables.filter((variable) => !KNOWN.has(variable))).toEqual([])
      }
    }
  })

  it('makes the kinds that the values ask for', () => {
    const kinds = Object.fromEntries(
      NAMES.map((name) => [
        name,
        resourcesOf(name)
          .map(({ kind }) => kind)
          .sort(),
      ]),
    )
    expect(kinds).toEqual({
      postgresql: ['Deployment', 'PodDisruptionBudget', 'Service'],
      'postgresql-large': [
        'Deployment',
        'HorizontalPodAutoscaler',
        'Ingress',
        'PodDisruptionBudget',
        'Service',
        'ServiceMonitor',
      ],
      'postgresql-one': ['Deployment', 'Service'],
      'postgresql-two-roles': ['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'],
      sqlite: ['Service', 'StatefulSet'],
      'sqlite-exposed': ['Ingress', 'NetworkPolicy', 'Service', 'ServiceMonitor', 'StatefulSet'],
    })
  })

  it('is the one of which the stored files were made', async () => {
    if (hasHelm) await expect(chartDigest()).toMatchFileSnapshot(`${RENDERED}chart.sha256`)
    else expect(readFileSync(`${RENDERED}chart.sha256`, 'utf8')).toBe(chartDigest())
  })

  it('has the version of the package', () => {
    const { version, appVersion } = parse(readFileSync(`${CHART}Chart.yaml`, 'utf8')) as Record<string, string>
    const { version: released } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      readonly version: string
    }
    expect({ version, appVersion }).toEqual({ version: released, appVersion: released })
  })
})

describe.runIf(hasHelm)('helm', () => {
  it.each(NAMES)('accepts %s, and makes of it what is stored', async (name) => {
    execFileSync('helm', ['lint', CHART, '--strict', '--values', valuesOf(name)], { stdio: 'pipe' })
    const text = execFileSync('helm', [...TEMPLATE, '--values', valuesOf(name)], { encoding: 'utf8' })
    await expect(text).toMatchFileSnapshot(`${RENDERED}${name}.yaml`)
  })

  it.each([
    ['sqlite', 'image.repository=', 'image.repository: name the repository'],
    ['sqlite', 'autoscaling.enabled=true', 'autoscaling.enabled: needs storage: postgresql'],
    ['sqlite', 'database.url.secret=x', 'database: needs storage: postgresql'],
    ['sqlite', 'storage=mysql', 'storage'],
    ['sqlite', 'settings.PORT=1', 'PORT'],
    ['sqlite', 'settings.SERVICE_TOKENS=x', 'settings.SERVICE_TOKENS: is in secrets too'],
    ['sqlite', 'image.digest=latest', '/image/digest'],
    ['sqlite', 'ingress.enabled=true', 'ingress.host: name the host'],
    ['sqlite', 'serviceMonitor.enabled=true', 'serviceMonitor.token.secret: name the secret'],
    ['sqlite', 'replica=3', 'replica'],
    ['postgresql', 'database.url.secret=', 'database.url.secret: name the secret'],
    ['postgresql-one', 'replicas=2', 'secrets.SERVICE_SECRET_KEY: several replicas need the same key'],
    ['postgresql', 'checkpointKey.secret=', 'checkpointKey.secret: several replicas need the same key'],
    ['postgresql-two-roles', 'database.migration.appRole=', 'database.migration.appRole: name the role'],
    ['postgresql-large', 'autoscaling.maxReplicas=2', 'autoscaling.maxReplicas: is below autoscaling.minReplicas'],
  ])('rejects %s with %s, and names the value', (name, change, message) => {
    const { status, stderr } = spawnSync('helm', [...TEMPLATE, '--values', valuesOf(name), '--set', change], {
      encoding: 'utf8',
    })
    expect(status).not.toBe(0)
    expect(stderr).toContain(message)
  })
})
