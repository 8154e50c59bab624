import { describe, expect, it } from 'vitest'
import { requestTimes } from '../../../http/metrics/request-times.ts'

describe('request times', () => {
  it('are a Prometheus histogram with cumulative buckets', () => {
    const times = requestTimes()
    for (const seconds of [0.0001, 0.001, 0.0011, 0.2, 30]) times.observe('GET', '/runs/:id', 200, seconds)
    times.observe('GET', '/runs/:id', 404, 0.5)
    const lines = times.text().split('\n')
    expect(lines.slice(0, 2)).toEqual([
      '# HELP http_request_duration_seconds Time from the first byte of a request to the end of its answer.',
      '# TYPE http_request_duration_seconds histogram',
    ])
    const labels = 'method="GET",route="/runs/:id",status="200"'
    const buckets = lines.filter(
      (line) => line.startsWith('http_request_duration_seconds_bucket') && line.includes(labels),
    )
    expect(buckets.map((line) => /le="([^"]+)".* (\d+)$/.exec(line)?.slice(1))).toEqual([
      ['0.001', '2'],
      ['0.0025', '3'],
      ['0.005', '3'],
      ['0.01', '3'],
      ['0.025', '3'],
      ['0.05', '3'],
      ['0.1', '3'],
      ['0.25', '4'],
      ['0.5', '4'],
      ['1', '4'],
      ['2.5', '4'],
      ['5', '4'],
      ['10', '4'],
      ['+Inf', '5'],
    ])
    expect(lines).toContain(`http_request_duration_seconds_count{${labels}} 5`)
    expect(Number(/_sum\{.*status="200"\} (.*)/.exec(times.text())?.[1])).toBeCloseTo(30.2022)
    expect(lines).toContain('http_request_duration_seconds_count{method="GET",route="/runs/:id",status="404"} 1')
  })

  it('escape quotes and line breaks in labels', () => {
    const times = requestTimes()
    times.observe('GET', 'a"b\\c\nd', 200, 0)
    expect(times.text()).toContain('route="a\\"b\\\\c\\nd"')
  })
})
