//! Draws text and panels over the view: egui creates the shapes, and this pass draws them after everything else.

use crate::gpu::readback::{self, Image, VIEW_FORMAT};
use crate::gpu::{Gpu, GpuError};

/// Changes to the font textures that have not been applied yet.
///
/// egui reports dropped changes as a mistake. Here they are not one: a window may close before its next draw.
#[derive(Debug, Default)]
pub struct FontTextures(pub egui::TexturesDelta);

impl Drop for FontTextures {
    fn drop(&mut self) {
        self.0.clear();
    }
}

/// Shapes that egui has laid out for one draw.
#[derive(Debug, Default)]
pub struct Shapes {
    /// Triangles with their clip rectangles.
    pub primitives: Vec<egui::ClippedPrimitive>,
    /// Changes to the font textures.
    pub textures: FontTextures,
    /// Pixels of the view per point of the layout.
    pub pixels_per_point: f32,
}

/// Draws egui's shapes. The pipeline is created for the first of them, so a window without text does not pay for it.
pub struct TextPass {
    format: wgpu::TextureFormat,
    renderer: Option<egui_wgpu::Renderer>,
    shapes: Shapes,
    screen: egui_wgpu::ScreenDescriptor,
}

impl std::fmt::Debug for TextPass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextPass").field("shapes", &self.shapes.primitives.len()).finish_non_exhaustive()
    }
}

impl TextPass {
    /// Creates the pass for views of `format`.
    #[must_use]
    pub fn new(format: wgpu::TextureFormat) -> Self {
        let screen = egui_wgpu::ScreenDescriptor { size_in_pixels: [1, 1], pixels_per_point: 1.0 };
        Self { format, renderer: None, shapes: Shapes::default(), screen }
    }

    /// Sets the shapes for the next and later draws. Texture changes that have not been applied yet are kept.
    pub fn set(&mut self, shapes: Shapes) {
        let mut textures = std::mem::take(&mut self.shapes.textures);
        let Shapes { primitives, textures: mut newer, pixels_per_point } = shapes;
        textures.0.append(std::mem::take(&mut newer.0));
        self.shapes = Shapes { primitives, textures, pixels_per_point };
    }

    /// Uploads changes, for a view of `size` pixels.
    pub fn prepare(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, size: (u32, u32)) {
        if self.shapes.primitives.is_empty() {
            return self.release();
        }
        let renderer = self.renderer.get_or_insert_with(|| {
            let options = egui_wgpu::RendererOptions { dithering: false, ..Default::default() };
            egui_wgpu::Renderer::new(&gpu.device, self.format, options)
        });
        let textures = std::mem::take(&mut self.shapes.textures);
        for (id, deltas) in &textures.0.set {
            for delta in deltas {
                renderer.update_texture(&gpu.device, &gpu.queue, *id, delta);
            }
        }
        for id in &textures.0.free {
            renderer.free_texture(id);
        }
        self.screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: [size.0, size.1],
            pixels_per_point: self.shapes.pixels_per_point,
        };
        // Only callbacks return command buffers, and these shapes have none.
        let _ = renderer.update_buffers(&gpu.device, &gpu.queue, encoder, &self.shapes.primitives, &self.screen);
    }

    /// Frees textures that are no longer used; other changes to textures wait for the next draw.
    fn release(&mut self) {
        let textures = &mut self.shapes.textures.0;
        for id in std::mem::take(&mut textures.free) {
            textures.set.remove(&id);
            if let Some(renderer) = &mut self.renderer {
                renderer.free_texture(&id);
            }
        }
    }

    /// Draws the shapes.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'static>) {
        if let (Some(renderer), false) = (&self.renderer, self.shapes.primitives.is_empty()) {
            renderer.render(pass, &self.shapes.primitives, &self.screen);
        }
    }
}

/// Returns an image of only these shapes, on black.
///
/// # Errors
/// [`GpuError`] if the adapter does not support textures of that size, or fails.
pub fn text_image(gpu: &Gpu, size: (u32, u32), shapes: Shapes) -> Result<Image, GpuError> {
    let texture = readback::view_texture(gpu, size, VIEW_FORMAT)?;
    let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
    let mut text = TextPass::new(VIEW_FORMAT);
    text.set(shapes);
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("text") });
    text.prepare(gpu, &mut encoder, size);
    let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store };
    let attachment = wgpu::RenderPassColorAttachment { view: &view, depth_slice: None, resolve_target: None, ops };
    let descriptor = wgpu::RenderPassDescriptor {
        label: Some("text"),
        color_attachments: &[Some(attachment)],
        ..Default::default()
    };
    let mut pass = encoder.begin_render_pass(&descriptor).forget_lifetime();
    text.draw(&mut pass);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    readback::read_texture(gpu, &texture)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::AdapterChoice;

    #[test]
    fn textures_are_freed_even_if_nothing_is_drawn() {
        let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter, if only a software one");
        let (context, mut text) = (egui::Context::default(), TextPass::new(VIEW_FORMAT));
        let mut prepared = |shapes: Shapes, ids: [egui::TextureId; 2]| {
            text.set(shapes);
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None });
            text.prepare(&gpu, &mut encoder, (64, 64));
            gpu.queue.submit([encoder.finish()]);
            let renderer = text.renderer.as_ref().expect("something was drawn");
            ids.map(|id| renderer.texture(&id).is_some())
        };
        let image = egui::ColorImage::filled([8, 8], egui::Color32::RED);
        let texture = context.load_texture("a picture", image, egui::TextureOptions::NEAREST);
        // The picture, and the glyphs.
        let ids = [texture.id(), egui::TextureId::default()];
        let output = context.run_ui(egui::RawInput::default(), |ui| drop(ui.label("words")));
        let primitives = context.tessellate(output.shapes, 1.0);
        let shapes = Shapes { primitives, textures: FontTextures(output.textures_delta), pixels_per_point: 1.0 };
        assert_eq!(prepared(shapes, ids), [true, true]);
        drop(texture);
        let delta = context.tex_manager().write().take_delta();
        let nothing = Shapes { textures: FontTextures(delta), pixels_per_point: 1.0, ..Shapes::default() };
        assert_eq!(prepared(nothing, ids), [false, true]);
    }
}
