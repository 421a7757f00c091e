/** Made by scripts/api-types.mjs from the gateway's OpenAPI document. Changes are made there. */

export interface components {
  schemas: {
    Session: {
      id: string;
      user_id: string;
      channel: string;
      created_at: number;
      workspace: string;
      cwd: string;
      mode: "plan" | "default" | "accept-edits" | "auto";
      title: string;
      status: "idle" | "running" | "waiting" | "failed";
      waiting: number;
      last_seq: number;
      updated_at: number;
      parent_id?: string;
      agent?: string;
      model?: string;
    };
    Error: {
      error: {
        code: string;
        message: string;
        details?: Record<string, unknown>;
      };
    };
    NewSession: {
      id?: string;
      workspace?: string;
      mode?: "plan" | "default" | "accept-edits" | "auto";
      agent?: string;
      model?: string;
    };
    SessionList: {
      sessions: components["schemas"]["Session"][];
      next_cursor: string | null;
    };
    ChangeSession: {
      mode?: "plan" | "default" | "accept-edits" | "auto";
      model?: string;
    };
    Result: {
      call_id: string;
      tool: string;
      status: "ok" | "error" | "denied" | "cancelled" | "planned" | "suspended" | "running";
      output: string;
      content: Record<string, unknown>[];
      data?: unknown;
      error?: {
        code: string;
        message: string;
        hint?: string;
        details?: Record<string, unknown>;
      };
      undoable: boolean;
      duration_ms: number;
      truncated?: {
        shown: number;
        total: number;
        ref: string;
      };
      approval_id?: string;
    };
    NewCall: {
      tool: string;
      input?: unknown;
      call_id?: string;
      dry_run?: boolean;
      keep?: boolean;
    };
    CallList: {
      calls: components["schemas"]["Call"][];
      next_cursor: string | null;
    };
    Call: {
      call_id: string;
      tool: string;
      input?: unknown;
      summary: string;
      status: "asked" | "running" | "success" | "failed" | "rolled_back";
      result_status?: string;
      started_at: number;
      settled_at?: number;
      undoable: boolean;
      message_id?: string;
      agent?: string;
      undo_of?: string;
      changes?: Record<string, unknown>[];
    };
    Undo: {
      dry_run?: boolean;
      force?: boolean;
    };
    ApprovalList: {
      approvals: components["schemas"]["Approval"][];
      next_cursor: string | null;
    };
    Approval: {
      id: string;
      session_id: string;
      root_session_id: string;
      call_id: string;
      status: "pending" | "granted" | "refused" | "used" | "expired" | "void";
      tool: string;
      input?: unknown;
      cwd: string;
      class?: string;
      summary: string;
      preview: Record<string, unknown> | null;
      effects: {
        effect: Record<string, unknown>;
        verdict: string;
        rule: string;
        reason: string;
        because?: components["schemas"]["Because"];
      }[];
      rule: string;
      reason: string;
      because?: components["schemas"]["Because"];
      rehearsal?: Record<string, unknown>;
      can_rehearse: boolean;
      proposal?: {
        rules: string[];
        also_allows: string[];
        still_asks: string[];
        examples: {
          rule: string;
          also_allows: string[];
          still_asks: string[];
        }[];
      };
      undo: {
        guarantee: "exact" | "files" | "none";
        reason?: string;
      };
      agent?: string;
      agent_path?: string[];
      message_id?: string;
      description?: string;
      created_at: number;
      expires_at: number;
      nonce?: string;
      answer?: string;
      answered_by?: string;
      answered_at?: number;
      words?: string;
      void_cause?: "plan_changed" | "policy_changed" | "call_ended" | "asked_again" | "not_needed";
    };
    Because: {
      code: string;
      params?: Record<string, unknown>;
    };
    Answered: {
      approval: components["schemas"]["Approval"];
      result?: components["schemas"]["Result"];
    };
    Answer: {
      answer: "once" | "always" | "deny";
      nonce: string;
      words?: string;
    };
    EventList: {
      events: components["schemas"]["Event"][];
      first_seq: number;
      last_seq: number;
    };
    Event: {
      schema_version: number;
      seq: number;
      time: number;
      session_id: string;
      type: "run_start" | "turn_start" | "text_delta" | "text" | "thinking_delta" | "tool_call" | "tool_progress" | "tool_result" | "permission_request" | "permission_result" | "value_request" | "input_required" | "subagent_start" | "subagent_event" | "subagent_end" | "artifact_updated" | "turn_end" | "run_end" | "error";
      [name: string]: unknown;
    };
    Counts: {
      sessions: number;
      running: number;
      approvals: number;
      values: number;
      inputs: number;
      waiting: number;
    };
    ToolList: {
      tools: components["schemas"]["Tool"][];
    };
    Tool: {
      name: string;
      description: string;
      aliases: string[];
      input_schema: Record<string, unknown>;
      traits: {
        concurrency_safe: boolean;
        read_only: boolean;
        destructive: boolean;
        search_hint: string;
        permission: "auto" | "confirm";
      };
      safety_level: number;
      example?: unknown;
    };
    Fork: {
      id?: string;
    };
    SessionExport: {
      session: components["schemas"]["Session"];
      calls: components["schemas"]["Call"][];
      events: components["schemas"]["Event"][];
    };
    RunStarted: {
      run_id: string;
      status: string;
    };
    NewRun: {
      prompt: string;
      run_id?: string;
      agent?: string;
      model?: string;
      max_rounds?: number;
      max_cost_usd?: number;
    };
    RunList: {
      runs: components["schemas"]["Run"][];
    };
    Run: {
      run_id: string;
      session_id: string;
      status: "queued" | "running" | "waiting" | "done" | "failed" | "max_rounds" | "max_cost" | "max_tokens" | "refused" | "cancelled";
      text: string;
      rounds: number;
      usage: {
        input_tokens: number;
        output_tokens: number;
        cache_read_tokens: number;
        cache_write_tokens: number;
      };
      cost_usd?: number;
      cache_saved_usd?: number;
      error?: {
        code: string;
        message: string;
      };
      started_at: number;
    };
    RunMessage: {
      text: string;
      when: "now" | "after";
    };
    ArtifactList: {
      artifacts: components["schemas"]["ArtifactSummary"][];
    };
    ArtifactSummary: {
      id: string;
      title: string;
      content_type: "markdown" | "text" | "code" | "html" | "json" | "csv" | "svg" | "mermaid";
      version: number;
    };
    Artifact: components["schemas"]["ArtifactSummary"] & {
      latest_version: number;
      content: string;
      versions: {
        version: number;
        kind: "create" | "update" | "update_fuzzy" | "rewrite";
        time: string;
        call_id: string;
        agent?: string;
        removed?: boolean;
      }[];
    };
    ArtifactDiff: {
      diff: string;
    };
    Revert: {
      version: number;
    };
    TaskList: {
      tasks: components["schemas"]["Task"][];
    };
    Task: {
      id: string;
      kind: string;
      title: string;
      description?: string;
      status: "pending" | "in_progress" | "done" | "failed" | "cancelled" | "lost";
      started_at: number;
      ended_at?: number;
      exit_code?: number;
      output_bytes: number;
    };
    SubagentList: {
      agents: components["schemas"]["Subagent"][];
    };
    Subagent: {
      id: string;
      parent_id?: string;
      agent: string;
      description: string;
      mode: "sync" | "background" | "worktree";
      status: "running" | "waiting" | "done" | "failed" | "cancelled" | "max_rounds";
      calls: number;
      usage: Record<string, number>;
      started_at: number;
      last_activity_at: number;
      ended_at?: number;
    };
    CancelAgent: {
      subtree?: boolean;
    };
    ValueRequestList: {
      values: components["schemas"]["ValueRequest"][];
    };
    ValueRequest: {
      id: string;
      session_id: string;
      key: string;
      reason: string;
      note?: string;
      once: boolean;
      created_at: number;
    };
    ValueAnswer: {
      value?: string;
      save?: boolean | ("session" | "project" | "global");
      note?: string;
      refuse?: boolean;
      words?: string;
    };
    Changes: {
      files: components["schemas"]["ChangedFile"][];
      total: number;
    };
    ChangedFile: {
      path: string;
      change: "created" | "modified" | "deleted" | "mode" | "link" | "time" | "none";
      before_size?: number;
      after_size?: number;
      before?: string;
      after?: string;
      diff?: string;
      changed_by_others: boolean;
      call_ids: string[];
    };
    UndoMany: {
      call_ids?: string[];
      last?: number;
      message?: string;
      dry_run?: boolean;
      force?: boolean;
    };
    RuleList: {
      rules: components["schemas"]["Rule"][];
    };
    Rule: {
      id: string;
      rule: string;
      list: "allow" | "ask" | "deny";
      origin: "home" | "project" | "always" | "environment" | "flags";
      offline?: boolean;
      in_force: boolean;
    };
    NewRule: {
      rule: string;
      list?: "allow" | "ask" | "deny";
      origin?: "home" | "always";
    };
    Replay: {
      total: number;
      calls: {
        call_id: string;
        session_id: string;
        tool: string;
        summary: string;
        before: "allow" | "rehearse" | "ask" | "deny";
        after: "allow" | "rehearse" | "ask" | "deny";
        answer?: string;
      }[];
      fewer_questions: number;
      more_questions: number;
      denied_would_run: number;
    };
    ReplayRule: {
      rule: string;
      list?: "allow" | "ask" | "deny";
      session_id?: string;
      limit?: number;
    };
    Explained: {
      tool: string;
      mode: "plan" | "default" | "accept-edits" | "auto";
      decision: "allow" | "rehearse" | "ask" | "deny";
      verdict: "allow" | "rehearse" | "ask" | "deny";
      rule: string;
      reason: string;
      because?: components["schemas"]["Because"];
      code?: string;
      text: string;
      summary: string;
      class?: string;
      preview: Record<string, unknown> | null;
      effects: {
        effect: Record<string, unknown>;
        verdict: string;
        rule: string;
        reason: string;
        because?: components["schemas"]["Because"];
      }[];
      modes: {
        plan?: {
          verdict: "allow" | "rehearse" | "ask" | "deny";
          rule: string;
          reason: string;
          because?: components["schemas"]["Because"];
        };
        default?: {
          verdict: "allow" | "rehearse" | "ask" | "deny";
          rule: string;
          reason: string;
          because?: components["schemas"]["Because"];
        };
        "accept-edits"?: {
          verdict: "allow" | "rehearse" | "ask" | "deny";
          rule: string;
          reason: string;
          because?: components["schemas"]["Because"];
        };
        auto?: {
          verdict: "allow" | "rehearse" | "ask" | "deny";
          rule: string;
          reason: string;
          because?: components["schemas"]["Because"];
        };
      };
    };
    Explain: {
      tool: string;
      input?: unknown;
      mode?: "plan" | "default" | "accept-edits" | "auto";
      session_id?: string;
    };
    AuditPage: {
      entries: components["schemas"]["AuditEntry"][];
      next_cursor: string | null;
      total: number;
    };
    AuditEntry: {
      seq: number;
      time: number;
      session_id: string;
      kind: string;
      body?: unknown;
      previous_hash: string;
      hash: string;
    };
    AuditState: {
      rows: number;
      broken_at: number | null;
    };
    Doctor: {
      checks: components["schemas"]["Check"][];
    };
    Check: {
      name: string;
      state: "ok" | "warning" | "failed";
      detail: string;
      advice?: string;
      [name: string]: unknown;
    };
    WebhookList: {
      webhooks: components["schemas"]["Webhook"][];
    };
    Webhook: {
      id: string;
      url: string;
      events: ("permission_request" | "value_request" | "run_end")[];
      created_at: number;
    };
    NewWebhookSecret: components["schemas"]["Webhook"] & {
      secret: string;
    };
    NewWebhook: {
      url: string;
      events?: ("permission_request" | "value_request" | "run_end")[];
      secret?: string;
    };
    TokenList: {
      tokens: components["schemas"]["Token"][];
    };
    Token: {
      name: string;
      scopes: ("read" | "call" | "approve" | "admin")[];
      user_id: string;
      created_at: number;
      origin: "home" | "server";
      current: boolean;
    };
    MadeToken: components["schemas"]["Token"] & {
      token: string;
    };
    NewToken: {
      name: string;
      scopes: ("read" | "call" | "approve" | "admin")[];
    };
    ProcessReply: {
      reply: string;
      tool_result?: Record<string, unknown>;
      events: Record<string, unknown>[];
      run?: Record<string, unknown>;
    };
    ProcessWaiting: {
      approval_id?: string;
      request_id?: string;
      status: "waiting";
      reply: string;
      run_id?: string;
      events: Record<string, unknown>[];
    };
    ProcessRequest: {
      input: unknown[];
      session_id: string;
      user_id: string;
      channel: string;
      stream?: boolean;
      biz_params?: {
        tool?: unknown;
        [name: string]: unknown;
      };
      [name: string]: unknown;
    };
    LoggedIn: components["schemas"]["Me"] & {
      csrf_token: string;
    };
    Me: {
      user_id: string;
      scopes: ("read" | "call" | "approve" | "admin")[];
    };
    Login: {
      token: string;
    } | {
      claim: string;
    };
    LoginLink: {
      url: string;
    };
    Ticket: {
      url: string;
      expires_at: string;
    };
    TicketRequest: {
      path: string;
    };
  };
}

export interface paths {
  "/api/v1/sessions": {
    get: {
      parameters: { query?: { limit?: number; cursor?: string; top?: "0" | "1" }; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["SessionList"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
    post: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: { content: { "application/json": components["schemas"]["NewSession"] } };
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Session"] } };
        201: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Session"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}": {
    get: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Session"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
    patch: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["ChangeSession"] } };
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Session"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
    delete: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        204: { headers: Record<string, string>; content?: never };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/calls": {
    get: {
      parameters: { query?: { limit?: number; cursor?: string }; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["CallList"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
    post: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["NewCall"] } };
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Result"] } };
        202: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Result"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/calls/{call}": {
    get: {
      parameters: { query?: never; header?: never; path: { id: string; call: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Result"] } };
        202: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Result"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/calls/{call}/undo": {
    post: {
      parameters: { query?: never; header?: never; path: { id: string; call: string }; cookie?: never };
      requestBody?: { content: { "application/json": components["schemas"]["Undo"] } };
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Result"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/approvals": {
    get: {
      parameters: { query?: { limit?: number; cursor?: string; status?: "pending" | "granted" | "refused" | "used" | "expired" | "void"; session_id?: string }; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["ApprovalList"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/approvals/{id}": {
    get: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Approval"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/approvals/{id}/answer": {
    post: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["Answer"] } };
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Answered"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/events": {
    get: {
      parameters: { query?: { after?: number | null; before?: number | null; limit?: number; types?: string }; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["EventList"]; "text/event-stream": string } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/events": {
    get: {
      parameters: { query?: { sessions?: string; inbox?: "0" | "1"; after?: string }; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "text/event-stream": string } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/counts": {
    get: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Counts"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/tools": {
    get: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["ToolList"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/fork": {
    post: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: { content: { "application/json": components["schemas"]["Fork"] } };
      responses: {
        201: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Session"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/export": {
    get: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["SessionExport"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/runs": {
    get: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["RunList"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
    post: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["NewRun"] } };
      responses: {
        202: { headers: Record<string, string>; content: { "application/json": components["schemas"]["RunStarted"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/runs/{run}": {
    get: {
      parameters: { query?: never; header?: never; path: { id: string; run: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Run"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/runs/{run}/cancel": {
    post: {
      parameters: { query?: never; header?: never; path: { id: string; run: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Run"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/runs/{run}/messages": {
    post: {
      parameters: { query?: never; header?: never; path: { id: string; run: string }; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["RunMessage"] } };
      responses: {
        202: { headers: Record<string, string>; content: { "application/json": components["schemas"]["RunStarted"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/demo": {
    post: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        201: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Session"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/artifacts": {
    get: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["ArtifactList"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/artifacts/{artifact}": {
    get: {
      parameters: { query?: { version?: number }; header?: never; path: { id: string; artifact: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Artifact"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/artifacts/{artifact}/diff": {
    get: {
      parameters: { query: { from: number; to: number }; header?: never; path: { id: string; artifact: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["ArtifactDiff"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/artifacts/{artifact}/revert": {
    post: {
      parameters: { query?: never; header?: never; path: { id: string; artifact: string }; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["Revert"] } };
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Result"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/artifacts/{artifact}/page": {
    get: {
      parameters: { query?: { version?: number; scripts?: "0" | "1" }; header?: never; path: { id: string; artifact: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "text/html": string } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/tasks": {
    get: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["TaskList"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/terminal": {
    get: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        101: { headers: Record<string, string>; content?: never };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        426: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/agents": {
    get: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["SubagentList"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/agents/{agent}/cancel": {
    post: {
      parameters: { query?: never; header?: never; path: { id: string; agent: string }; cookie?: never };
      requestBody?: { content: { "application/json": components["schemas"]["CancelAgent"] } };
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Subagent"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/values": {
    get: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["ValueRequestList"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/values/{id}": {
    post: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["ValueAnswer"] } };
      responses: {
        204: { headers: Record<string, string>; content?: never };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/changes": {
    get: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Changes"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/sessions/{id}/undo": {
    post: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["UndoMany"] } };
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Result"] & {
            files?: components["schemas"]["ChangedFile"][];
          } } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/rules": {
    get: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["RuleList"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
    post: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["NewRule"] } };
      responses: {
        201: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Rule"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/rules/{id}": {
    delete: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        204: { headers: Record<string, string>; content?: never };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/rules/replay": {
    post: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["ReplayRule"] } };
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Replay"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/policy/explain": {
    post: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["Explain"] } };
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Explained"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/audit": {
    get: {
      parameters: { query?: { limit?: number; cursor?: string; order?: "asc" | "desc"; session_id?: string; kind?: string; tool?: string; call_id?: string; answer?: "once" | "always" | "deny"; since?: number | null; until?: number | null }; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["AuditPage"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/audit/verify": {
    get: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["AuditState"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/doctor": {
    get: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Doctor"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/webhooks": {
    get: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["WebhookList"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
    post: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["NewWebhook"] } };
      responses: {
        201: { headers: Record<string, string>; content: { "application/json": components["schemas"]["NewWebhookSecret"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/webhooks/{id}": {
    delete: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        204: { headers: Record<string, string>; content?: never };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/tokens": {
    get: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["TokenList"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
    post: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["NewToken"] } };
      responses: {
        201: { headers: Record<string, string>; content: { "application/json": components["schemas"]["MadeToken"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/tokens/{name}": {
    delete: {
      parameters: { query?: never; header?: never; path: { name: string }; cookie?: never };
      requestBody?: never;
      responses: {
        204: { headers: Record<string, string>; content?: never };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/agent/process": {
    post: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["ProcessRequest"] } };
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["ProcessReply"]; "text/event-stream": string } };
        202: { headers: Record<string, string>; content: { "application/json": components["schemas"]["ProcessWaiting"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        499: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        504: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/login": {
    post: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["Login"] } };
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["LoggedIn"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/logout": {
    post: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        204: { headers: Record<string, string>; content?: never };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/me": {
    get: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Me"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/login-links": {
    post: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        201: { headers: Record<string, string>; content: { "application/json": components["schemas"]["LoginLink"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/tickets": {
    post: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody: { content: { "application/json": components["schemas"]["TicketRequest"] } };
      responses: {
        201: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Ticket"] } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/tickets/{ticket}": {
    get: {
      parameters: { query?: never; header?: never; path: { ticket: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "*/*": unknown } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
  "/api/v1/openapi.json": {
    get: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: Record<string, string>; content: { "application/json": Record<string, unknown> } };
        400: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        401: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        403: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        404: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        405: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        409: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        413: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        415: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        421: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        429: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        500: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
        503: { headers: Record<string, string>; content: { "application/json": components["schemas"]["Error"] } };
      };
    };
  };
}
