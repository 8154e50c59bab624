{{- define "ers.name" -}}
{{- if contains "ers" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-ers" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "ers.selector" -}}
app.kubernetes.io/name: ers
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: service
{{- end }}

{{- define "ers.commonLabels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "ers.labels" -}}
{{ include "ers.selector" . }}
{{ include "ers.commonLabels" . }}
{{- end }}

{{- define "ers.image" -}}
{{- $repository := required "image.repository: name the repository to which you have pushed the image" .Values.image.repository -}}
{{- if .Values.image.digest }}{{ $repository }}@{{ .Values.image.digest }}{{ else }}{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- /* Values that contradict each other are refused here, each with the name of the value. */ -}}
{{- define "ers.check" -}}
{{- $isPostgres := eq .Values.storage "postgresql" -}}
{{- $several := and $isPostgres (or .Values.autoscaling.enabled (gt (int .Values.replicas) 1)) -}}
{{- if and .Values.autoscaling.enabled (not $isPostgres) }}{{ fail "autoscaling.enabled: needs storage: postgresql, since one SQLite store has one pod" }}{{ end -}}
{{- if and .Values.autoscaling.enabled (lt (int .Values.autoscaling.maxReplicas) (int .Values.autoscaling.minReplicas)) }}{{ fail "autoscaling.maxReplicas: is below autoscaling.minReplicas" }}{{ end -}}
{{- if and $isPostgres (not .Values.database.url.secret) }}{{ fail "database.url.secret: name the secret with the connection string of PostgreSQL" }}{{ end -}}
{{- if and (not $isPostgres) (or .Values.database.url.secret .Values.database.readUrl.secret .Values.database.migration.ownerUrl.secret) }}{{ fail "database: needs storage: postgresql" }}{{ end -}}
{{- if and $several (not (hasKey .Values.secrets "SERVICE_SECRET_KEY")) }}{{ fail "secrets.SERVICE_SECRET_KEY: several replicas need the same key; name the secret that holds it" }}{{ end -}}
{{- if and $several (not .Values.checkpointKey.secret) (not (hasKey .Values.secrets "SERVICE_CHECKPOINT_KEY")) }}{{ fail "checkpointKey.secret: several replicas need the same key that signs checkpoints; name the secret that holds it" }}{{ end -}}
{{- if and .Values.database.migration.ownerUrl.secret (not .Values.database.migration.appRole) }}{{ fail "database.migration.appRole: name the role that serves" }}{{ end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}{{ fail "ingress.host: name the host" }}{{ end -}}
{{- if and .Values.serviceMonitor.enabled (not .Values.serviceMonitor.token.secret) }}{{ fail "serviceMonitor.token.secret: name the secret with a token of the scope admin" }}{{ end -}}
{{- range $name, $_ := .Values.settings }}{{ if hasKey $.Values.secrets $name }}{{ fail (printf "settings.%s: is in secrets too" $name) }}{{ end }}{{ end -}}
{{- end }}

{{- define "ers.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "ers.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "ers.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .from.secret }}
      key: {{ .from.key }}
{{- end }}

{{- /* What the stateful set and the deployment have in common. */ -}}
{{- define "ers.pod" -}}
metadata:
  labels:
    {{- include "ers.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  # Variables of Kubernetes for other services could be taken for settings of this one.
  enableServiceLinks: false
  # Longer than requests in flight may take to finish.
  terminationGracePeriodSeconds: 40
  securityContext:
    {{- include "ers.podSecurity" . | nindent 4 }}
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: ers
      image: {{ include "ers.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        {{- include "ers.containerSecurity" . | nindent 8 }}
      env:
        {{- if .Values.checkpointKey.secret }}
        - name: SERVICE_CHECKPOINT_KEY_FILE
          value: /run/checkpoint-key/key
        {{- end }}
        {{- if eq .Values.storage "postgresql" }}
        {{- include "ers.secretVariable" (dict "name" "SERVICE_DATABASE_URL" "from" .Values.database.url) | nindent 8 }}
        {{- if .Values.database.readUrl.secret }}
        {{- include "ers.secretVariable" (dict "name" "SERVICE_DATABASE_READ_URL" "from" .Values.database.readUrl) | nindent 8 }}
        {{- end }}
        {{- end }}
        {{- range $name, $value := .Values.settings }}
        - name: {{ $name }}
          value: {{ $value | toString | quote }}
        {{- end }}
        {{- range $name, $from := .Values.secrets }}
        {{- include "ers.secretVariable" (dict "name" $name "from" $from) | nindent 8 }}
        {{- end }}
      ports:
        - name: http
          containerPort: 8321
      # A start waits for the database and may migrate it first.
      startupProbe:
        httpGet:
          path: /api/v1/health
          port: http
        periodSeconds: 2
        failureThreshold: 150
      livenessProbe:
        httpGet:
          path: /api/v1/health
          port: http
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet:
          path: /api/v1/ready
          port: http
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      lifecycle:
        preStop:
          # The pod gets requests until every proxy knows that it ends.
          exec:
            command: [sleep, '5']
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        {{- if .Values.checkpointKey.secret }}
        - name: checkpoint-key
          mountPath: /run/checkpoint-key
          readOnly: true
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if eq .Values.storage "postgresql" }}
    - name: data
      emptyDir: {}
    {{- end }}
    {{- if .Values.checkpointKey.secret }}
    - name: checkpoint-key
      secret:
        secretName: {{ .Values.checkpointKey.secret }}
        defaultMode: 0440
        items:
          - key: {{ .Values.checkpointKey.key }}
            path: key
    {{- end }}
  {{- if and (eq .Values.storage "postgresql") .Values.topologyKey }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: {{ .Values.topologyKey }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "ers.selector" . | nindent 10 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
