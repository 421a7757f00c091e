/** Figures of the server in the text form of Prometheus. Holds counts and times only, nothing of what was asked. */
const buckets = [0.005, 0.025, 0.1, 0.5, 2.5, 10] as const;

interface Gauge {
  readonly name: string;
  readonly help: string;
  read(): number | Promise<number>;
}

export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #buckets = new Array<number>(buckets.length).fill(0);
  readonly #gauges: readonly Gauge[];
  #seconds = 0;
  #count = 0;

  constructor(gauges: readonly Gauge[]) {
    this.#gauges = gauges;
  }

  note(method: string, status: number, seconds: number): void {
    const key = `method="${/^[A-Z]{1,10}$/.test(method) ? method : "OTHER"}",status="${status}"`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    this.#seconds += seconds;
    this.#count += 1;
    for (const [index, limit] of buckets.entries()) if (seconds <= limit) this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
  }

  async text(): Promise<string> {
    const requests = [...this.#requests].sort().map(([labels, count]) => `karyi_http_requests_total{${labels}} ${count}`);
    const times = buckets.map((limit, index) => `karyi_http_request_seconds_bucket{le="${limit}"} ${this.#buckets[index] ?? 0}`);
    const gauges = await Promise.all(
      this.#gauges.map(async ({ name, help, read }) => [...head(name, help, "gauge"), `${name} ${await read()}`]),
    );
    return [
      ...head("karyi_http_requests_total", "Requests that were answered.", "counter"),
      ...requests,
      ...head("karyi_http_request_seconds", "How long answers took.", "histogram"),
      ...times,
      `karyi_http_request_seconds_bucket{le="+Inf"} ${this.#count}`,
      `karyi_http_request_seconds_sum ${this.#seconds.toFixed(6)}`,
      `karyi_http_request_seconds_count ${this.#count}`,
      ...gauges.flat(),
      "",
    ].join("\n");
  }
}

function head(name: string, help: string, type: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}
