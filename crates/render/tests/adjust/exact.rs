//! The shaders' divisions, which have neither 64-bit integers nor a fast division, against plain ones.
//!
//! Each test appends its own entry point to a pass's text, so that it calls the same functions as the pass.

use histoscope_core::adjust::mul_div;
use histoscope_render::gpu::Gpu;
use histoscope_render::gpu::readback::read_buffer;
use histoscope_render::gpu::shaders::{self, Shader};
use wgpu::util::DeviceExt;

use crate::adjuster::Adjuster;
use crate::support::Random;

/// Runs an entry point `test` appended to a pass, with `words` in the buffer `data`, and returns them.
fn run(gpu: &Gpu, pass: &Shader, test: &str, bits: u32, words: &[u32], workgroups: (u32, u32)) -> Vec<u32> {
    let data = "@group(0) @binding(15) var<storage, read_write> data: array<atomic<u32>>;";
    let source = [&pass.source(), data, test].join("\n");
    let device = &gpu.device;
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(pass.path()),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let compilation_options =
        wgpu::PipelineCompilationOptions { constants: &[("BITS", f64::from(bits))], ..Default::default() };
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(pass.path()),
        layout: None,
        module: &module,
        entry_point: Some("test"),
        compilation_options,
        cache: None,
    });
    let buffer = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("data"),
        contents: bytemuck::cast_slice(words),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("data"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 15, resource: buffer.as_entire_binding() }],
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    compute.set_pipeline(&pipeline);
    compute.set_bind_group(0, &group, &[]);
    compute.dispatch_workgroups(workgroups.0, workgroups.1, 1);
    drop(compute);
    gpu.queue.submit([encoder.finish()]);
    bytemuck::pod_collect_to_vec(&read_buffer(gpu, &buffer, buffer.size()).unwrap())
}

#[test]
fn products_beyond_32_bits_are_divided_exactly() {
    const TEST: &str = "
        @compute @workgroup_size(64)
        fn test(@builtin(global_invocation_id) id: vec3<u32>) {
            let at = 3u * id.x;
            if at + 2u < arrayLength(&data) {
                let found = mul_div(atomicLoad(&data[at]), atomicLoad(&data[at + 1u]), atomicLoad(&data[at + 2u]));
                atomicStore(&data[at], found.quotient);
                atomicStore(&data[at + 1u], found.remainder);
            }
        }";
    let mut random = Random(11);
    let mut cases = Vec::new();
    for divisor in [1_u32, 2, 3, 255, 256, 4095, 65_537, (1 << 24) - 1, (1 << 24) + 1, (1 << 30) - 1, 1 << 30] {
        for value in [0, 1, divisor / 3, divisor / 2, divisor.div_ceil(2), divisor - 1, divisor] {
            for factor in [1, 2, 15, 16, 255, 1023, 2048, 4094, 4095] {
                cases.push((value, factor, divisor));
            }
        }
    }
    for _ in 0..100_000 {
        let divisor = 1 + (random.next() as u32 >> (2 + random.next() as u32 % 30)) % (1 << 30);
        cases.push((random.next() as u32 % (divisor + 1), random.next() as u32 % 4096, divisor));
    }
    // Quotients that are whole, or just below, are the ones that an estimate misses.
    for _ in 0..200_000 {
        let factor = 1 + random.next() as u32 % 4095;
        let share = 1 + (random.next() as u32 >> (2 + random.next() as u32 % 30)) % ((1 << 30) / factor);
        let value = share * (random.next() as u32 % (factor + 1));
        cases.push((value, factor, share * factor));
        cases.push((value.saturating_sub(1), factor, share * factor));
    }
    let words: Vec<u32> = cases.iter().flat_map(|&(value, factor, divisor)| [value, factor, divisor]).collect();
    let adjuster = Adjuster::get();
    let found = run(&adjuster.gpu, &shaders::CURVES, TEST, 8, &words, ((cases.len() as u32).div_ceil(64), 1));
    for (&(value, factor, divisor), found) in cases.iter().zip(found.chunks_exact(3)) {
        assert_eq!((found[0], found[1]), mul_div(value, factor, divisor), "{value} · {factor} / {divisor}");
    }
}

#[test]
fn codes_are_scaled_by_the_ratio_of_any_two_luminances() {
    // For each luminance and every `STEP`th new luminance, counts the codes with right and with wrong results.
    const TEST: &str = "
        @compute @workgroup_size(64)
        fn test(@builtin(global_invocation_id) id: vec3<u32>) {
            let own = id.x + 1u;
            let goal = min(id.y * STEP, TOP);
            if own > TOP {
                return;
            }
            let ratio = ratio_of(own, goal);
            var wrong = 0u;
            for (var code = 0u; code <= TOP; code += 4u) {
                let codes = code + vec4<u32>(0u, 1u, 2u, 3u);
                let found = by_ratio(codes, vec4<u32>(ratio.x), vec4<u32>(ratio.y));
                let expected = min((codes * goal + own / 2u) / own, vec4<u32>(TOP));
                let differs = select(vec4<u32>(0u), vec4<u32>(1u), found != expected);
                wrong += differs.x + differs.y + differs.z + differs.w;
            }
            atomicAdd(&data[0], TOP + 1u - wrong);
            atomicAdd(&data[1], wrong);
        }";
    let adjuster = Adjuster::get();
    for (bits, step) in [(8, 1), (10, 31)] {
        let codes = 1_u32 << bits;
        let news = (codes - 1) / step + 1;
        let test = TEST.replace("STEP", &format!("{step}u"));
        let found = run(&adjuster.gpu, &shaders::RECOLOR, &test, bits, &[0, 0], ((codes - 1).div_ceil(64), news));
        assert_eq!(found, [codes * (codes - 1) * news, 0], "{bits} bits: codes that are right, and that are wrong");
    }
}
